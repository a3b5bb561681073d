namespace QuickSilver.Testing.Runs.Shrinking;

/// <summary>A failing run, cut down.</summary>
/// <param name="Spec">What is left of it.</param>
/// <param name="Violation">The promise it breaks: that of the whole run.</param>
/// <param name="Tried">Runs executed on the way.</param>
/// <param name="Took">Real time it took.</param>
internal sealed record ShrinkResult(RunSpec Spec, Violation Violation, int Tried, TimeSpan Took)
{
    /// <summary>Faults left.</summary>
    public int Faults => Spec.Faults.Count;

    /// <summary>Machines left.</summary>
    public int Nodes => Spec.Options.Nodes - Spec.Options.Absent.Count;

    /// <inheritdoc/>
    public override string ToString() =>
        $"{Violation.Invariant} with {Nodes} nodes, {Faults} faults, {Spec.Plans.Count} plans of "
        + $"{Spec.Plans.Sum(plan => plan.Count)} messages, "
        + $"{Spec.Actions.Count} actions, after {Tried} runs in {Took.TotalSeconds:F1} s";
}
