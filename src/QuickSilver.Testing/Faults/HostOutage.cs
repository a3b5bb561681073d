namespace QuickSilver.Testing.Faults;

/// <summary>A host of an election ends, and starts again at the end of the fault.</summary>
/// <param name="At">When it ends, counted from the start of the simulation.</param>
/// <param name="Duration">How long it is away.</param>
/// <param name="Host">Index of the host.</param>
/// <param name="IsOrderly">True when it gives its lease up; false when that ends by itself.</param>
internal sealed record HostOutage(TimeSpan At, TimeSpan Duration, int Host, bool IsOrderly) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) =>
        cluster.Election?.End(Host, begins, IsOrderly);
}
