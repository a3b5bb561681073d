namespace QuickSilver.Protocol.Flow.Limits;

/// <summary>The limits of <see cref="PendingLimits"/>.</summary>
internal sealed record PendingQuota
{
    private const long LargestGuarantee = 256 << 10;
    private const int GuaranteedStreams = 32;
    private const long LeastNodeMessages = 1_000_000;
    private const int FullStreams = 4;

    /// <summary>Limit on the messages of one stream.</summary>
    public int StreamMessages { get; init; } = 100_000;

    /// <summary>Limit on the bytes of one stream.</summary>
    public long StreamBytes { get; init; } = 64L << 20;

    /// <summary>Limit on the messages of all streams of the node.</summary>
    public long NodeMessages { get; init; } = LeastNodeMessages;

    /// <summary>Limit on the bytes of all streams of the node.</summary>
    public long NodeBytes { get; init; } = 256L << 20;

    /// <summary>Messages that a stream may always hold, whatever the others hold.</summary>
    public int GuaranteedMessages { get; init; } = 1_000;

    /// <summary>Bytes that a stream may always hold, whatever the others hold.</summary>
    public long GuaranteedBytes { get; init; } = LargestGuarantee;

    /// <summary>
    /// Derives all limits from the three that a node is configured with. All streams together may have four times as
    /// many messages as one, and at least a million: so a single stream reaches its configured limit, not half of the
    /// node's. Each stream is guaranteed four trains, but at most a 32nd of the node's bytes. So the guarantees hold
    /// with 32 streams that hold something, however small the node's limit is.
    /// </summary>
    public static PendingQuota Of(int streamMessages, long streamBytes, long nodeBytes) => new()
    {
        StreamMessages = streamMessages,
        StreamBytes = streamBytes,
        NodeMessages = Math.Max(LeastNodeMessages, (long)FullStreams * streamMessages),
        NodeBytes = nodeBytes,
        GuaranteedBytes = Math.Min(LargestGuarantee, nodeBytes / GuaranteedStreams),
    };
}
