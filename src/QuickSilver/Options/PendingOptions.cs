using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Wire;

namespace QuickSilver;

/// <summary>Limits on messages that are sent but not yet known to be held by every live member. A sender that reaches a
/// limit waits until half of it is free.</summary>
public sealed class PendingOptions
{
    /// <summary>The longest message that every node receives: 16 MiB.</summary>
    internal const int LongestMessage = PacketRecord.MaxMessageBytes;

    private int? _maxMessages;
    private long? _maxBytes;
    private long? _nodeMaxBytes;

    /// <summary>Limit on pending messages in one region's stream. Default: 100,000. A process with a small heap gets
    /// less: one message for each 2 KiB of the heap it may use.</summary>
    public int MaxMessagesPerRegion
    {
        get => _maxMessages ?? HeapShares.Alone.PendingMessages;
        set => _maxMessages = value;
    }

    /// <summary>Limit on pending bytes in one region's stream. Default: 64 MiB, or 1/16 of the heap that the process
    /// may use, whichever is less, and at most <see cref="MaxBytesPerNode"/>.</summary>
    public long MaxBytesPerRegion
    {
        get => _maxBytes ?? Math.Min(HeapShares.Alone.PendingBytes, MaxBytesPerNode);
        set => _maxBytes = value;
    }

    /// <summary>Limit on pending bytes in all streams of the node together; a stream that holds none may add one
    /// message beyond it. Each stream is guaranteed 1/32 of the limit, at most 256 KiB, so that one stuck region does
    /// not block the others. With more than 32 active streams, each further one may add its guarantee to the total.
    /// Default: 256 MiB, or 1/8 of the heap that the process may use, whichever is less, and at least a
    /// <see cref="MaxBytesPerRegion"/> that is set. The heap's share is divided by the number of nodes that run in the
    /// process when this one starts.</summary>
    public long MaxBytesPerNode
    {
        get => _nodeMaxBytes ?? Math.Max(HeapShares.Alone.NodePendingBytes, _maxBytes ?? 0);
        set => _nodeMaxBytes = value;
    }

    /// <summary>Limit on messages accepted but not yet sent, of all groups that go to the same regions; ordered groups
    /// count together, wherever they go. Messages of feeds do not count: a feed is called when there is room to send.
    /// Default: 8,192, and at most half of <see cref="MaxMessagesPerRegion"/>.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int MaxUnsentMessagesPerRegion { get; set; } = 8_192;

    /// <summary>Limit on bytes accepted but not yet sent, of the groups that
    /// <see cref="MaxUnsentMessagesPerRegion"/> counts together. A single larger message is accepted when nothing else
    /// is unsent. When all groups of the node together exceed twice this limit,
    /// those of the same regions are temporarily limited to 2 KiB; each message counts 128 bytes more in this total.
    /// Raising the limit lets <see cref="MessageSender.TrySend(ReadOnlySpan{byte})"/> absorb longer bursts but adds
    /// latency. It also slows a sender at full speed, because messages leave the processor's cache before they are
    /// sent. Default: 1 MiB, and at most half of <see cref="MaxBytesPerRegion"/>.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public long MaxUnsentBytesPerRegion { get; set; } = 1 << 20;

    /// <summary>Limit on calls that wait for room to send at the same time, of all groups that go to the same regions.
    /// Each holds a copy of its message. A call beyond the limit ends at once with
    /// <see cref="ErrorCode.TooManyWaitingSends"/>, and its message is not sent. Only code that does not await its
    /// sends has so many. Default: 65,536.</summary>
    public int MaxWaitingCallsPerRegion { get; set; } = 65_536;

    /// <summary>Limit on the length of a message this node sends, up to the 16 MiB that every node receives. Default:
    /// 1 MiB.</summary>
    public int MaxMessageBytes { get; set; } = 1 << 20;

    /// <summary>How long one member may hold this node's sends at these limits, or at what the slowest member reads,
    /// before this node asks for its removal. The membership server removes it if its slowness is confirmed and another
    /// member keeps up; that node returns as after other evictions. At least a second;
    /// <see cref="Timeout.InfiniteTimeSpan"/>: this node waits for every member. Default: five seconds.</summary>
    public TimeSpan SlowMemberTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long a call may wait for members while nobody can remove one: the node has no membership server
    /// (<see cref="NodeState.MembershipLost"/>), or the server waits for a majority
    /// (<see cref="NodeState.WaitingForMajority"/>). A send that has waited so long for room ends with a
    /// <see cref="SendHeldUpException"/>, and its message is not sent; so do waits for confirmations and flushes, whose
    /// messages go on. At least a second; <see cref="Timeout.InfiniteTimeSpan"/>: calls wait for a server. Default:
    /// 30 s.</summary>
    public TimeSpan NoServerTimeout { get; set; } = TimeSpan.FromSeconds(30);

    internal PendingOptions Copy() => (PendingOptions)MemberwiseClone();

    /// <summary>Fixes the defaults of limits that are not set.</summary>
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
        errors.InRange("Pending.MaxUnsentMessagesPerRegion", MaxUnsentMessagesPerRegion, 1, 1 << 20);
        errors.InRange("Pending.MaxUnsentBytesPerRegion", MaxUnsentBytesPerRegion, 1, 1L << 38);
        errors.InRange("Pending.MaxWaitingCallsPerRegion", MaxWaitingCallsPerRegion, 1, int.MaxValue);
        errors.InRange("Pending.MaxMessageBytes", MaxMessageBytes, 1, LongestMessage);
        if (SlowMemberTimeout != Timeout.InfiniteTimeSpan)
            errors.AtLeast("Pending.SlowMemberTimeout", SlowMemberTimeout, TimeSpan.FromSeconds(1));
        if (NoServerTimeout != Timeout.InfiniteTimeSpan)
            errors.AtLeast("Pending.NoServerTimeout", NoServerTimeout, TimeSpan.FromSeconds(1));
        if (MaxBytesPerNode < MaxBytesPerRegion)
        {
            errors.Add(
                "Pending.MaxBytesPerNode",
                $"{MaxBytesPerNode} is below Pending.MaxBytesPerRegion ({MaxBytesPerRegion}): raise it, or lower that");
        }
    }
}
