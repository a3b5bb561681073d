namespace QuickSilver.Testing.Faults;

/// <summary>Nothing passes from one node to another; the way back stays as it is.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="From">Index of the sending node.</param>
/// <param name="To">Index of the receiving node.</param>
internal sealed record LinkCut(TimeSpan At, TimeSpan Duration, int From, int To) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.Cut(From, To, begins);
}
