namespace QuickSilver.Testing.Faults;

/// <summary>Nothing passes between a host of an election and the store of leases.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Host">Index of the host.</param>
internal sealed record StoreCut(TimeSpan At, TimeSpan Duration, int Host) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Election?.CutOff(Host, Duration);
    }
}
