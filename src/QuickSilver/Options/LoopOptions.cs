namespace QuickSilver;

/// <summary>The core thread.</summary>
public sealed class LoopOptions
{
    /// <summary>How long the core looks for work before it sleeps; null (default): it sleeps at once when idle. Spinning takes what a processor has to
    /// spare: between two looks other threads may run.</summary>
    public TimeSpan? Spin { get; set; }

    /// <summary>Index of the processor that the core thread is bound to; null (default): any.</summary>
    public int? Affinity { get; set; }

    /// <summary>Longest time spent on completed reads before timers and senders have their turn. Default: 1 ms.</summary>
    public TimeSpan IoQuantum { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>Longest time spent on timers in one turn. Default: 1 ms.</summary>
    public TimeSpan AlarmQuantum { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>A call of user code on the core thread, or a phase of a turn, longer than this is reported as a
    /// <see cref="CoreStalled"/>. Default: 10 ms.</summary>
    public TimeSpan StallWarning { get; set; } = TimeSpan.FromMilliseconds(10);

    internal LoopOptions Copy() => (LoopOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        if (Spin is { } spin) errors.Positive("Loop.Spin", spin, "or null for none");
        if (Affinity is { } index) errors.InRange("Loop.Affinity", index, 0, Environment.ProcessorCount - 1, "the processors of this machine");
        errors.Positive("Loop.IoQuantum", IoQuantum);
        errors.Positive("Loop.AlarmQuantum", AlarmQuantum);
        errors.Positive("Loop.StallWarning", StallWarning);
    }
}
