namespace QuickSilver.Testing.Faults;

/// <summary>A node's channel to the membership server breaks and cannot be opened again before the end of the
/// fault.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the node.</param>
internal sealed record MembershipOutage(TimeSpan At, TimeSpan Duration, int Node) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.BreakMembership(Node, begins);
}
