namespace QuickSilver;

/// <summary>The node's state changed: admitted, membership lost and found, evicted, stopped.</summary>
/// <param name="Before">The state it was in.</param>
/// <param name="After">The state it is in.</param>
/// <param name="Reason">Why, for people.</param>
public sealed record NodeStateChanged(NodeState Before, NodeState After, string Reason) : NodeEvent;
