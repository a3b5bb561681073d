namespace QuickSilver;

/// <summary>One member of a view.</summary>
/// <param name="Id">Which life of which node.</param>
/// <param name="Name">The node's name, for people.</param>
public sealed record Member(MemberId Id, string Name);
