namespace QuickSilver.Protocol.Flow;

/// <summary>The limits of <see cref="PendingLimits"/>.</summary>
public sealed record PendingQuota
{
    private const long LargestGuarantee = 256 << 10;
    private const int GuaranteedStreams = 32;

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

    /// <summary>Bytes that a stream may always have, whatever the others hold.</summary>
    public long GuaranteedBytes { get; init; } = LargestGuarantee;

    /// <summary>What is guaranteed to each stream of a node with so many bytes for all: four trains, but no more than a 32nd of the whole, so that the
    /// node's limit holds with 32 streams that hold something, however small it is.</summary>
    public static long GuaranteeWithin(long nodeBytes) => Math.Min(LargestGuarantee, nodeBytes / GuaranteedStreams);
}
