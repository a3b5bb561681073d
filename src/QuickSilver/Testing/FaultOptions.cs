namespace QuickSilver.Testing;

/// <summary>
/// Faults that a node inflicts on itself, so that recovery can be watched at work on real sockets. Never for production. Received datagrams are
/// dropped after a read has been split into datagrams, control included.
/// </summary>
public sealed class FaultOptions
{
    /// <summary>Share of received datagrams that is dropped, from 0 to 1. Default: 0.</summary>
    public double DropReceived { get; set; }

    /// <summary>How often the node is deaf for <see cref="DeafFor"/>, the first time after this long. Default: zero, never.</summary>
    public TimeSpan DeafEvery { get; set; }

    /// <summary>For how long it drops everything it receives. Default: zero.</summary>
    public TimeSpan DeafFor { get; set; }

    /// <summary>Seed of the choice; the same seed drops the same places in a node's sequence of datagrams. Default: 1.</summary>
    public ulong Seed { get; set; } = 1;

    internal bool Any => DropReceived > 0 || DeafFor > TimeSpan.Zero;

    internal FaultOptions Copy() => (FaultOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.NotNegative("Testing.DeafEvery", DeafEvery);
        errors.NotNegative("Testing.DeafFor", DeafFor);
        if (DeafFor > TimeSpan.Zero && DeafEvery <= DeafFor)
        {
            errors.Add("Testing.DeafEvery", $"{DeafEvery} is not longer than Testing.DeafFor ({DeafFor})");
        }
        if (!(DropReceived >= 0 && DropReceived < 1)) errors.Add("Testing.DropReceived", $"{DropReceived} is not in [0, 1)");
    }
}
