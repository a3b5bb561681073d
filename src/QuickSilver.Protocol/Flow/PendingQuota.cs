namespace QuickSilver.Protocol.Flow;

/// <summary>The limits of <see cref="PendingLimits"/>.</summary>
public sealed record PendingQuota
{
    /// <summary>Most messages of one stream.</summary>
    public int StreamMessages { get; init; } = 100_000;

    /// <summary>Most bytes of one stream.</summary>
    public long StreamBytes { get; init; } = 64L << 20;

    /// <summary>Most messages of all streams of the node.</summary>
    public int NodeMessages { get; init; } = 1_000_000;

    /// <summary>Most bytes of all streams of the node.</summary>
    public long NodeBytes { get; init; } = 256L << 20;

    /// <summary>Messages that a stream may always have, whatever the others hold.</summary>
    public int GuaranteedMessages { get; init; } = 1_000;

    /// <summary>Bytes that a stream may always have, whatever the others hold: four trains.</summary>
    public long GuaranteedBytes { get; init; } = 256 << 10;
}
