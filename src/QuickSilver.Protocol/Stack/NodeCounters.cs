using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// What several rooms of a node count together, reliable groups and those of other modes: sums of their counters, made
/// when they are asked for. What one room counts alone is read there. Core thread only; allocates nothing.
/// </summary>
/// <param name="rooms">The rooms that count.</param>
internal sealed class NodeCounters(StackParts rooms)
{
    private readonly DisseminationCounters _sent = rooms.DisseminationCounters;
    private readonly RecoveryCounters _received = rooms.RecoveryCounters;
    private readonly DeliveryCounters _delivered = rooms.DeliveryCounters;
    private readonly ModeTotals _modes = rooms.Modes.Totals;
    private readonly LateralCounters _lateral = rooms.LateralCounters;
    private readonly TimedCounters _timed = rooms.TimedCounters;
    private readonly OrderedCounters _ordered = rooms.OrderedCounters;

    /// <summary>Remote input dropped, by reason.</summary>
    public RejectCounters Rejected => rooms.Rejected;

    /// <summary>Messages delivered, own ones included.</summary>
    public ulong MessagesReceived => _delivered.Messages + _modes.Messages;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesReceived => _delivered.Bytes + _modes.Bytes;

    /// <summary>Messages reported lost.</summary>
    public ulong MessagesLost => _delivered.Lost + _modes.Lost;

    /// <summary>Packets sent for the first time, one per region; a hybrid packet counts once.</summary>
    public ulong PacketsSent =>
        _sent.PacketsSent + _lateral.PacketsSent + _timed.PacketsSent + _ordered.PacketsSent;

    /// <summary>Packets received for the first time, repairs included.</summary>
    public ulong PacketsReceived =>
        _received.PacketsReceived + _lateral.PacketsReceived + _timed.PacketsReceived + _ordered.PacketsReceived;

    /// <summary>Packets that were here already.</summary>
    public ulong PacketsDuplicate =>
        _received.PacketsDuplicate + _lateral.PacketsDuplicate + _timed.Duplicates + _ordered.Duplicates;

    /// <summary>Sequences found missing.</summary>
    public ulong PacketsMissed => _received.PacketsMissed + _timed.PacketsMissing + _ordered.PacketsAsked;

    /// <summary>Packets received of which no message was in a group that this node is in.</summary>
    public ulong PacketsFiltered => _delivered.PacketsFiltered + _timed.PacketsFiltered;

    /// <summary>Packets that a peer repaired here.</summary>
    public ulong RepairsFromPeers => _received.RepairsFromPeers + _lateral.PacketsRecovered;

    /// <summary>Packets that their sender repaired here.</summary>
    public ulong RepairsFromSenders => _received.RepairsFromSenders + _lateral.PacketsResent;

    /// <summary>Repairs sent to others, from the cache or as sender.</summary>
    public ulong RepairsGiven => _received.RepairsGiven + _sent.Retransmissions
        + _lateral.RepairsSent + _lateral.ResendsGiven + _timed.Repairs + _timed.PartnerRepairs
        + _ordered.Repairs;

    /// <summary>Bytes of received packets kept.</summary>
    public long CachedBytes => _received.CachedBytes + _delivered.HeldBytes;

    /// <summary>Ways to and from other nodes that drop long datagrams.</summary>
    public int NarrowPaths => rooms.Disseminator.Paths.Count + rooms.Recoverer.Inbound.NarrowCount;

    /// <summary>
    /// Members that this node reaches by unicast because its multicast does not arrive there: the maximum over its
    /// streams.
    /// </summary>
    public int MembersByUnicast
    {
        get
        {
            IReadOnlyList<StreamSender> streams = rooms.Disseminator.Streams;
            int highest = 0;
            for (int index = 0; index < streams.Count; index++)
                highest = Math.Max(highest, streams[index].MembersByUnicast);
            return highest;
        }
    }

    /// <summary>Packets per second that the slowest of the node's streams is allowed; 0 while there is none.</summary>
    public double RateLimit
    {
        get
        {
            IReadOnlyList<StreamSender> streams = rooms.Disseminator.Streams;
            double slowest = double.PositiveInfinity;
            for (int index = 0; index < streams.Count; index++)
                slowest = Math.Min(slowest, streams[index].PacketsPerSecond);
            return double.IsFinite(slowest) ? slowest : 0;
        }
    }
}
