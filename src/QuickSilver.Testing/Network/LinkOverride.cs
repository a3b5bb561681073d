namespace QuickSilver.Testing.Network;

/// <summary>Gives some links a model of their own.</summary>
/// <param name="From">Index of the sending node; null: every node.</param>
/// <param name="To">Index of the receiving node; null: every node.</param>
/// <param name="Model">What these links do.</param>
internal sealed record LinkOverride(int? From, int? To, LinkModel Model);
