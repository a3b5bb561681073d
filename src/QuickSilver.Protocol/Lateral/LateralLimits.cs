namespace QuickSilver.Protocol.Lateral;

/// <summary>Limits of all lateral groups of a node.</summary>
internal sealed record LateralLimits
{
    /// <summary>Bytes of packets kept for repairs, combinations and requests.</summary>
    public long CacheBytes { get; init; } = 8L << 20;

    /// <summary>Bytes of fragments and of messages that wait for their turn.</summary>
    public long HeldBytes { get; init; } = 64L << 20;
}
