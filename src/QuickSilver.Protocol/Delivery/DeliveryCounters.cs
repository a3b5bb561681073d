using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// A node's delivery counters since its start, and gauges of the present. Written by the core thread only.
/// </summary>
/// <param name="rejected">Counts contradictory fragments.</param>
internal sealed class DeliveryCounters(RejectCounters rejected)
{
    /// <summary>Remote input dropped, by reason.</summary>
    public RejectCounters Rejected { get; } = rejected;

    /// <summary>Messages delivered, own ones included.</summary>
    public ulong Messages;

    /// <summary>Bytes of those messages.</summary>
    public ulong Bytes;

    /// <summary>Messages dropped because their number had been delivered, reported lost or received before.</summary>
    public ulong Duplicates;

    /// <summary>Messages reported lost, as far as their count was known.</summary>
    public ulong Lost;

    /// <summary>Messages that could not be delivered when they came, and were kept.</summary>
    public ulong Held;

    /// <summary>Messages joined from fragments.</summary>
    public ulong Joined;

    /// <summary>Long messages that ended complete.</summary>
    public ulong LongComplete;

    /// <summary>Long messages that their senders gave up.</summary>
    public ulong LongGivenUp;

    /// <summary>Long messages whose senders were gone before the end.</summary>
    public ulong LongCut;

    /// <summary>Packets received of which no message was in a group that this node is in.</summary>
    public ulong PacketsFiltered;

    /// <summary>Messages received in groups of a region that this node is not in.</summary>
    public ulong MessagesFiltered;

    /// <summary>Datagrams of views not installed that were kept until their view was.</summary>
    public ulong UnrecognisedReplayed;

    /// <summary>Datagrams of views not installed that were dropped: no room, or too old.</summary>
    public ulong UnrecognisedDropped;

    /// <summary>Gauge: bytes held because a message or step before them is missing.</summary>
    public long HeldBytes;
}
