namespace QuickSilver.Testing.Faults;

/// <summary>A node receives no datagrams, though it sends; its channel to the membership server works.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the node.</param>
internal sealed record DeafNode(TimeSpan At, TimeSpan Duration, int Node) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override bool IsSeenByServer => false;

    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.Deafen(Node, begins);
}
