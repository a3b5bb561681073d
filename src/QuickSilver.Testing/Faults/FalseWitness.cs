namespace QuickSilver.Testing.Faults;

/// <summary>A node tells the membership server with every heartbeat that no other node answers it, and that no packet
/// of theirs arrives. A node that is in no group does so to harm others.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the machine.</param>
internal sealed record FalseWitness(TimeSpan At, TimeSpan Duration, int Node) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.AccuseAll(Node, begins);
}
