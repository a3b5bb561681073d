using System.Diagnostics.CodeAnalysis;

namespace QuickSilver;

/// <summary>Settings of the core thread, which does a node's protocol work and calls the application's handlers and
/// feeds.</summary>
public sealed class LoopOptions
{
    /// <summary>How long an idle core polls for work before it sleeps. Null (default): it sleeps at once. Spinning uses
    /// spare processor time: the thread yields to others between two polls.</summary>
    public TimeSpan? Spin { get; set; }

    /// <summary>Index of the processor that the core thread is pinned to. Null (default): any processor.</summary>
    public int? Affinity { get; set; }

    /// <summary>Time limit for completed reads in one turn, after which timers and senders get their share. Default:
    /// 1 ms.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimeSpan IoQuantum { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>Time limit for timers in one turn. Default: 1 ms.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimeSpan AlarmQuantum { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>How long a call of user code on the core thread, or a phase of a turn, may take before a
    /// <see cref="CoreStalled"/> reports it. Default: 10 ms.</summary>
    public TimeSpan StallWarning { get; set; } = TimeSpan.FromMilliseconds(10);

    internal LoopOptions Copy() => (LoopOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        if (Spin is { } spin) errors.Positive("Loop.Spin", spin, "or null for none");
        if (Affinity is { } index)
            errors.InRange("Loop.Affinity", index, 0, Environment.ProcessorCount - 1, "the processors of this machine");
        errors.Positive("Loop.IoQuantum", IoQuantum);
        errors.Positive("Loop.AlarmQuantum", AlarmQuantum);
        errors.Positive("Loop.StallWarning", StallWarning);
    }
}
