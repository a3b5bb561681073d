namespace QuickSilver.Bench.Chaos;

/// <summary>One thing done to a running cluster.</summary>
/// <param name="At">Seconds from the first fault's time zero.</param>
/// <param name="Kind">What.</param>
/// <param name="Node">Which node; of <see cref="ChaosFaultKind.KillHost"/>: nobody in particular; of a class: the one
/// that is spared.</param>
/// <param name="Seconds">How long it lasts: until the process goes on or is started again.</param>
internal sealed record ChaosFault(double At, ChaosFaultKind Kind, int Node, double Seconds)
{
    /// <inheritdoc/>
    public override string ToString() => $"{At:N2} s: {Kind} of node {Node} for {Seconds:N2} s";
}
