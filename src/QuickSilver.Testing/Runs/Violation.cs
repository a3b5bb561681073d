namespace QuickSilver.Testing.Runs;

/// <summary>A promise that a run broke.</summary>
/// <param name="Invariant">Id of the invariant, as in <c>docs/testing.md</c>.</param>
/// <param name="Message">What was seen, where and when.</param>
internal sealed record Violation(string Invariant, string Message)
{
    /// <summary>Virtual time at which it was seen.</summary>
    public TimeSpan At { get; init; }
}
