namespace QuickSilver.Loop;

/// <summary>How a core thread runs.</summary>
internal sealed record CoreThreadOptions
{
    /// <summary>Name of the thread, for debuggers and dumps.</summary>
    public string Name { get; init; } = "QuickSilver core";

    /// <summary>
    /// How long the thread keeps looking before it sleeps; zero: it sleeps at once. Worth a waking (20-50 us) and only where a core is free.
    /// </summary>
    public TimeSpan Spin { get; init; }

    /// <summary>The processor the thread is bound to (Linux only); null: the scheduler's choice.</summary>
    public int? Affinity { get; init; }
}
