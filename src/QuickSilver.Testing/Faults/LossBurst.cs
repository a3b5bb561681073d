namespace QuickSilver.Testing.Faults;

/// <summary>Loss on top of what the links do by themselves.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="From">Index of the sending node; null: every node.</param>
/// <param name="To">Index of the receiving node; null: every node.</param>
/// <param name="Loss">Probability of being lost, 0 to 1.</param>
internal sealed record LossBurst(TimeSpan At, TimeSpan Duration, int? From, int? To, double Loss) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) =>
        cluster.Conditions.Lose(From, To, Loss, begins);
}
