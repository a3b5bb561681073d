namespace QuickSilver.Testing.Faults;

/// <summary>Nothing passes between a node and the membership server for a while, in either direction, but the channel
/// does not break: what was sent arrives afterwards, as over a TCP connection whose segments are lost.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the node.</param>
internal sealed record MembershipStall(TimeSpan At, TimeSpan Duration, int Node) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.StallMembership(Node, Duration);
    }
}
