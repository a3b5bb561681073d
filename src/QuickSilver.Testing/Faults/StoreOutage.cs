namespace QuickSilver.Testing.Faults;

/// <summary>The store of leases answers nobody, or answers late.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Delay">How late a request comes, and an answer, at most; zero: it does not answer.</param>
internal sealed record StoreOutage(TimeSpan At, TimeSpan Duration, TimeSpan Delay) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (!begins) return;
        if (Delay > TimeSpan.Zero) cluster.Election?.Slow(Duration, Delay);
        else cluster.Election?.Silence(Duration);
    }
}
