namespace QuickSilver.Testing;

/// <summary>
/// Faults that a node injects into itself, to show recovery at work on real sockets. Not for production. Drops apply to
/// single datagrams, after a read has been split, control datagrams included.
/// </summary>
internal sealed class FaultOptions
{
    /// <summary>Share of received datagrams to drop, from 0 to 1. Default: 0.</summary>
    public double DropReceived { get; set; }

    /// <summary>Interval at which the node goes deaf for <see cref="DeafFor"/>; the first time is one interval after
    /// the start. Default: zero, never.</summary>
    public TimeSpan DeafEvery { get; set; }

    /// <summary>How long the node drops everything it receives each time. Default: zero.</summary>
    public TimeSpan DeafFor { get; set; }

    /// <summary>Seed of the random choice. The same seed drops the same positions in a node's sequence of datagrams.
    /// Default: 1.</summary>
    public ulong Seed { get; set; } = 1;

    /// <summary>What a test turns while the node runs; null: nothing.</summary>
    internal NodeSwitch? Switch { get; set; }

    internal bool Any => DropReceived > 0 || DeafFor > TimeSpan.Zero || Switch is not null;

    internal FaultOptions Copy() => (FaultOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.NotNegative("Testing.DeafEvery", DeafEvery);
        errors.NotNegative("Testing.DeafFor", DeafFor);
        if (DeafFor > TimeSpan.Zero && DeafEvery <= DeafFor)
        {
            errors.Add("Testing.DeafEvery", $"{DeafEvery} is not longer than Testing.DeafFor ({DeafFor})");
        }
        if (!(DropReceived >= 0 && DropReceived < 1))
            errors.Add("Testing.DropReceived", $"{DropReceived} is not in [0, 1)");
    }
}
