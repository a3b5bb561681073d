namespace QuickSilver.Testing.Faults;

/// <summary>Multicast vanishes while unicast goes on, as when a switch forgets who listens.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the node that no longer gets it; null: every node.</param>
/// <param name="Sender">Index of the node whose multicast is meant; null: every node's.</param>
internal sealed record MulticastOutage(TimeSpan At, TimeSpan Duration, int? Node = null, int? Sender = null)
    : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) =>
        cluster.Conditions.BreakMulticast(Sender, Node, begins);
}
