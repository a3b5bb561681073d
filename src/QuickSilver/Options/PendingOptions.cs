using QuickSilver.Protocol.Wire;

namespace QuickSilver;

/// <summary>How much may be sent and not yet known to be held by every live member. At a limit senders wait until half of it is free.</summary>
public sealed class PendingOptions
{
    /// <summary>The longest message any node receives: 16 MiB.</summary>
    internal const int LongestMessage = PacketRecord.MaxMessageBytes;

    private int? _maxMessages;
    private long? _maxBytes;
    private long? _nodeMaxBytes;

    /// <summary>Most messages per region stream. Default: 100,000, or one for each 2 KiB of the heap that the process may have, if that is
    /// fewer.</summary>
    public int MaxMessagesPerRegion
    {
        get => _maxMessages ?? HeapShares.Alone.PendingMessages;
        set => _maxMessages = value;
    }

    /// <summary>Most bytes per region stream. Default: 64 MiB, or a sixteenth of the heap that the process may have, if that is less, and never more
    /// than <see cref="MaxBytesPerNode"/>.</summary>
    public long MaxBytesPerRegion
    {
        get => _maxBytes ?? Math.Min(HeapShares.Alone.PendingBytes, MaxBytesPerNode);
        set => _maxBytes = value;
    }

    /// <summary>Most bytes in all streams of the node; one message more for each stream that held nothing before. A thirty-second of it, at most 256
    /// KiB, is guaranteed to every stream, so that one stuck region does not silence the others: with more than 32 that hold something, each further
    /// one may add as much. Default: 256 MiB, or an eighth of the heap that the process may have, if that is less, divided by the nodes that run in
    /// the process when this one starts; and never less than a <see cref="MaxBytesPerRegion"/> that was set.</summary>
    public long MaxBytesPerNode
    {
        get => _nodeMaxBytes ?? Math.Max(HeapShares.Alone.NodePendingBytes, _maxBytes ?? 0);
        set => _nodeMaxBytes = value;
    }

    /// <summary>Most messages of a group that applications may be ahead of the network: admitted and not yet sent for the first time. Default:
    /// 8,192, at most half of <see cref="MaxMessagesPerRegion"/>. What feeds write does not count: they are asked when there is room to send.</summary>
    public int MaxUnsentMessagesPerGroup { get; set; } = 8_192;

    /// <summary>Most bytes of a group that applications may be ahead of the network. Default: 1 MiB, at most half of <see cref="MaxBytesPerRegion"/>; one
    /// longer message passes when nothing is unsent. While all groups of the node together have twice as much (each message counts 128 bytes more
    /// there), each is held to 2 KiB. More lets <see cref="Group.TrySend"/> take longer bursts; a sender at full speed gets slower and its
    /// messages older, because they leave the processor's cache before they are sent.</summary>
    public long MaxUnsentBytesPerGroup { get; set; } = 1 << 20;

    /// <summary>The longest message this node may send, up to 16 MiB, which every node receives. Default: 1 MiB.</summary>
    public int MaxMessageBytes { get; set; } = 1 << 20;

    internal PendingOptions Copy() => (PendingOptions)MemberwiseClone();

    /// <summary>Fills in what was not set.</summary>
    internal void Settle(HeapShares shares)
    {
        _maxMessages ??= shares.PendingMessages;
        _nodeMaxBytes ??= Math.Max(shares.NodePendingBytes, _maxBytes ?? 0);
        _maxBytes ??= Math.Min(shares.PendingBytes, _nodeMaxBytes.Value);
    }

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Pending.MaxMessagesPerRegion", MaxMessagesPerRegion, 1, int.MaxValue);
        errors.InRange("Pending.MaxBytesPerRegion", MaxBytesPerRegion, 64L << 10, long.MaxValue);
        errors.InRange("Pending.MaxBytesPerNode", MaxBytesPerNode, 64L << 10, long.MaxValue);
        errors.InRange("Pending.MaxUnsentMessagesPerGroup", MaxUnsentMessagesPerGroup, 1, 1 << 20);
        errors.InRange("Pending.MaxUnsentBytesPerGroup", MaxUnsentBytesPerGroup, 1, 1L << 38);
        errors.InRange("Pending.MaxMessageBytes", MaxMessageBytes, 1, LongestMessage);
        if (MaxBytesPerNode < MaxBytesPerRegion)
        {
            errors.Add("Pending.MaxBytesPerNode", $"{MaxBytesPerNode} is below Pending.MaxBytesPerRegion ({MaxBytesPerRegion}): raise it, or lower that");
        }
    }
}
