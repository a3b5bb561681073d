namespace QuickSilver.Testing.Faults;

/// <summary>A node ends from one instant to the next, and does not come back.</summary>
/// <param name="At">When.</param>
/// <param name="Node">Index of the node.</param>
internal sealed record NodeCrash(TimeSpan At, int Node) : Fault(At, Timeout.InfiniteTimeSpan)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Destroy(Node);
}
