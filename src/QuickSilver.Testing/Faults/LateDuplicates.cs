namespace QuickSilver.Testing.Faults;

/// <summary>Copies of datagrams arrive once more, long after: in another round, view or incarnation.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Probability">Probability for each copy, 0 to 1.</param>
/// <param name="MaxDelay">How much later at most.</param>
internal sealed record LateDuplicates(TimeSpan At, TimeSpan Duration, double Probability, TimeSpan MaxDelay)
    : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.Duplicate(this, begins);
}
