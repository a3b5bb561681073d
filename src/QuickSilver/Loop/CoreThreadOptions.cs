namespace QuickSilver.Loop;

/// <summary>The options of a <see cref="CoreThread"/>.</summary>
internal sealed record CoreThreadOptions
{
    /// <summary>The name of the thread, for debuggers and dumps.</summary>
    public string Name { get; init; } = "QuickSilver core";

    /// <summary>
    /// How long the thread spins before it sleeps; zero to sleep at once. Spinning saves the latency of a wake-up
    /// (20-50 us), and needs a free processor.
    /// </summary>
    public TimeSpan Spin { get; init; }

    /// <summary>The processor that the thread is bound to (Linux only); null leaves the choice to the
    /// scheduler.</summary>
    public int? Affinity { get; init; }
}
