namespace QuickSilver;

/// <summary>How lost packets are found and repaired.</summary>
public sealed class RecoveryOptions
{
    private long? _cacheBytes;

    /// <summary>How many members of a region keep each packet, at least. Read by the node that serves the membership. Default: 5.</summary>
    public int ReplicationFactor { get; set; } = 5;

    /// <summary>
    /// Shortest time between two token rounds of a region, but for a sender that has used half of its window. Rounds are so far apart while somebody
    /// waits for a confirmation or a flush, or members lack packets. Default: 5 ms.
    /// </summary>
    public TimeSpan MinTokenInterval { get; set; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// Time between two token rounds while messages flow, no member lacks any and nobody waits: what is sent is kept as long by its sender and by the
    /// members that keep it for others. Counts only where it is longer than <see cref="MinTokenInterval"/>. Default: 30 ms.
    /// </summary>
    public TimeSpan QuietTokenInterval { get; set; } = TimeSpan.FromMilliseconds(30);

    /// <summary>Pull a gap at once from a neighbour, rather than wait for the token. Default: true.</summary>
    public bool EagerPull { get; set; } = true;

    /// <summary>Most bytes of received packets kept for others and for delivery; what finds no room counts as not
    /// received. Default: 256 MiB, or an eighth of the heap that the process may have, if that is less, divided by the nodes that run in the process
    /// when this one starts.</summary>
    public long CacheBytes
    {
        get => _cacheBytes ?? HeapShares.Alone.CacheBytes;
        set => _cacheBytes = value;
    }

    internal RecoveryOptions Copy() => (RecoveryOptions)MemberwiseClone();

    /// <summary>Fills in what was not set.</summary>
    internal void Settle(HeapShares shares) => _cacheBytes ??= shares.CacheBytes;

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Recovery.ReplicationFactor", ReplicationFactor, 1, 1_000);
        errors.AtLeast("Recovery.MinTokenInterval", MinTokenInterval, TimeSpan.FromMilliseconds(0.1));
        errors.NotNegative("Recovery.QuietTokenInterval", QuietTokenInterval);
        errors.InRange("Recovery.CacheBytes", CacheBytes, 1L << 20, long.MaxValue);
    }
}
