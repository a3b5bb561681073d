namespace QuickSilver.Testing.Faults;

/// <summary>A host of an election stands still, and no node does. It wakes before its lease has ended, or
/// after.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Host">Index of the host.</param>
/// <param name="ReadLag">Time from its end until what came meanwhile is read.</param>
internal sealed record HostFreeze(TimeSpan At, TimeSpan Duration, int Host, TimeSpan ReadLag) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Election?.Freeze(Host, Duration, ReadLag);
    }
}
