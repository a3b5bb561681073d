namespace QuickSilver;

/// <summary>The node's state changed, for example: admitted, membership lost, membership regained, evicted,
/// stopped.</summary>
/// <param name="Before">The previous state.</param>
/// <param name="After">The new state.</param>
/// <param name="Reason">Readable reason of the change.</param>
public sealed record NodeStateChanged(NodeState Before, NodeState After, string Reason) : NodeEvent;
