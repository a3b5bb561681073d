namespace QuickSilver.Testing.Faults;

/// <summary>
/// Something that goes wrong at a time. Faults are data: a run executes the list it was given, so a failing list can be cut down, one fault after the
/// other, while the rest of the run stays
/// as it was.
/// </summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts; <see cref="Timeout.InfiniteTimeSpan"/>: for ever.</param>
public abstract record Fault(TimeSpan At, TimeSpan Duration)
{
    /// <summary>Begins or ends the fault.</summary>
    internal abstract void Apply(SimulatedCluster cluster, bool begins);
}
