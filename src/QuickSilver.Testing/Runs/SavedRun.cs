namespace QuickSilver.Testing.Runs;

/// <summary>A file with a run: what was done, and what came of it when it was saved.</summary>
internal sealed record SavedRun
{
    /// <summary>The run.</summary>
    public RunSpec Spec { get; init; } = new();

    /// <summary>The promise it broke; null when it kept all.</summary>
    public Violation? Violation { get; init; }

    /// <summary>
    /// The hash of its trace, in hexadecimal: another value on replay means that the code has changed since, or is not
    /// deterministic.
    /// </summary>
    public string Trace { get; init; } = string.Empty;
}
