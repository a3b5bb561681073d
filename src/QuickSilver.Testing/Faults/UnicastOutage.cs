namespace QuickSilver.Testing.Faults;

/// <summary>Unicast vanishes while multicast goes on: data arrives, and no token, acknowledgement or repair.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
internal sealed record UnicastOutage(TimeSpan At, TimeSpan Duration) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.BreakUnicast(begins);
}
