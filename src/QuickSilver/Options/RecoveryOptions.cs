using System.Diagnostics.CodeAnalysis;

namespace QuickSilver;

/// <summary>How lost packets are detected and repaired.</summary>
public sealed class RecoveryOptions
{
    private long? _cacheBytes;

    /// <summary>Minimum number of members in a region that cache each packet. Read by the node that serves the
    /// membership. Default: 5.</summary>
    public int ReplicationFactor { get; set; } = 5;

    /// <summary>
    /// Shortest time between two token rounds of a region. It applies while a confirmation or flush is awaited, or
    /// while members lack packets. A sender that has used half of its window may start a round earlier. Default: 5 ms.
    /// </summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimeSpan MinTokenInterval { get; set; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// Time between two token rounds while messages flow, no member lacks packets and no confirmation or flush is
    /// awaited. Senders and caching members keep packets for as long. Has no effect below
    /// <see cref="MinTokenInterval"/>. Default: 30 ms.
    /// </summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimeSpan QuietTokenInterval { get; set; } = TimeSpan.FromMilliseconds(30);

    /// <summary>Whether a member requests a missing packet from a neighbour at once instead of waiting for the token.
    /// Default: true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool EagerPull { get; set; } = true;

    /// <summary>Limit on bytes of received packets cached for other members and for delivery. A packet that finds no
    /// room counts as not received. Default: 256 MiB, or 1/8 of the heap that the process may use, whichever is less.
    /// The heap's share is divided by the number of nodes that run in the process when this one starts.</summary>
    public long CacheBytes
    {
        get => _cacheBytes ?? HeapShares.Alone.CacheBytes;
        set => _cacheBytes = value;
    }

    internal RecoveryOptions Copy() => (RecoveryOptions)MemberwiseClone();

    /// <summary>Fixes the default of a limit that is not set.</summary>
    internal void Settle(HeapShares shares) => _cacheBytes ??= shares.CacheBytes;

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Recovery.ReplicationFactor", ReplicationFactor, 1, 1_000);
        errors.AtLeast("Recovery.MinTokenInterval", MinTokenInterval, TimeSpan.FromMilliseconds(0.1));
        errors.NotNegative("Recovery.QuietTokenInterval", QuietTokenInterval);
        errors.InRange("Recovery.CacheBytes", CacheBytes, 1L << 20, long.MaxValue);
    }
}
