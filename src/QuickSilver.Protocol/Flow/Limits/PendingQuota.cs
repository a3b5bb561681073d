namespace QuickSilver.Protocol.Flow.Limits;

/// <summary>The limits of <see cref="PendingLimits"/>.</summary>
public sealed record PendingQuota
{
    private const long LargestGuarantee = 256 << 10;
    private const int GuaranteedStreams = 32;
    private const long LeastNodeMessages = 1_000_000;
    private const int FullStreams = 4;

    /// <summary>Most messages of one stream.</summary>
    public int StreamMessages { get; init; } = 100_000;

    /// <summary>Most bytes of one stream.</summary>
    public long StreamBytes { get; init; } = 64L << 20;

    /// <summary>Most messages of all streams of the node.</summary>
    public long NodeMessages { get; init; } = LeastNodeMessages;

    /// <summary>Most bytes of all streams of the node.</summary>
    public long NodeBytes { get; init; } = 256L << 20;

    /// <summary>Messages that a stream may always have, whatever the others hold.</summary>
    public int GuaranteedMessages { get; init; } = 1_000;

    /// <summary>Bytes that a stream may always have, whatever the others hold.</summary>
    public long GuaranteedBytes { get; init; } = LargestGuarantee;

    /// <summary>
    /// The limits of a node that was told three of them. All its streams may have four times as many messages as one, and a million at least: so one
    /// alone is full when it is told, not when half of the node is. What is guaranteed to each is four trains, but no more than a 32nd of the node's
    /// bytes, so that these hold with 32 streams that hold something, however few they are.
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
