namespace QuickSilver.Protocol.Lateral;

/// <summary>Limits of all lateral groups of a node.</summary>
internal sealed record LateralLimits
{
    /// <summary>Bytes of packets kept for repairs, combinations and requests.</summary>
    public long CacheBytes { get; init; } = 8L << 20;

    /// <summary>Bytes of fragments and of messages that wait for their turn.</summary>
    public long HeldBytes { get; init; } = 64L << 20;

    /// <summary>The least time that a packet found missing is left to repairs.</summary>
    public TimeSpan LeastWait { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>The most time that a packet found missing is left to repairs.</summary>
    public TimeSpan MostWait { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a packet waits in a repair that its turn has come for, before the repair leaves.</summary>
    public TimeSpan FlushAfter { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>Repairs a second of a node up to which repairs leave that are not paid for.</summary>
    public int FlushesASecond { get; init; } = 100;

    /// <summary>How long a group is silent before its last number is reported.</summary>
    public TimeSpan ReportAfter { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Packets a second that one node is sent again on request.</summary>
    public int ResendsASecond { get; init; } = 4000;

    /// <summary>How long what a removed sender left is looked for.</summary>
    public TimeSpan OrphanTime { get; init; } = TimeSpan.FromSeconds(2);
}
