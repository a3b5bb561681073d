using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// A node's counters since its start, and gauges of the present: sums over its rooms, which do the counting. What
/// groups of other modes did counts with what reliable ones did. Core thread only; allocates nothing.
/// </summary>
internal sealed class NodeCounters(StackParts rooms)
{
    /// <summary>Remote input dropped, by reason.</summary>
    public RejectCounters Rejected => rooms.Rejected;

    /// <summary>Those of the lateral groups.</summary>
    public LateralCounters Lateral => rooms.LateralCounters;

    /// <summary>Those of the timed groups.</summary>
    public TimedCounters Timed => rooms.TimedCounters;

    /// <summary>Messages bound to a step and numbered.</summary>
    public ulong MessagesSent => Sent.MessagesSent;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesSent => Sent.BytesSent;

    /// <summary>Messages delivered, own ones included.</summary>
    public ulong MessagesReceived => Delivered.Messages + rooms.Modes.Totals.Messages;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesReceived => Delivered.Bytes + rooms.Modes.Totals.Bytes;

    /// <summary>Messages reported lost.</summary>
    public ulong MessagesLost => Delivered.Lost + rooms.Modes.Totals.Lost;

    /// <summary>Messages received in groups of a region that this node is not in.</summary>
    public ulong MessagesFiltered => Delivered.MessagesFiltered;

    /// <summary>
    /// Messages sent for the first time: once per region by multicast, once per member with unicast fan-out.
    /// </summary>
    public ulong MessageCopies => Sent.MessageCopies;

    /// <summary>Messages admitted or sent and not yet known stable, all streams.</summary>
    public long PendingMessages => Sent.PendingMessages;

    /// <summary>Bytes of those messages.</summary>
    public long PendingBytes => Sent.PendingBytes;

    /// <summary>How often admission to a group shut.</summary>
    public ulong BackpressureEpisodes => Sent.GatesShut;

    /// <summary>Packets sent for the first time, one per region; a hybrid packet counts once.</summary>
    public ulong PacketsSent => Sent.PacketsSent + Lateral.PacketsSent + Timed.PacketsSent;

    /// <summary>Packets of these that members of the same machine read in place: notes of them were sent.</summary>
    public ulong PacketsLent => Sent.PacketsLent;

    /// <summary>Packets of these that left once for all regions of a hybrid group.</summary>
    public ulong HybridPacketsSent => Sent.HybridPackets;

    /// <summary>Messages of hybrid groups that left in packets of regions.</summary>
    public ulong HybridFallbacks => Sent.HybridFallbacks;

    /// <summary>Hybrid packets received, duplicates included.</summary>
    public ulong HybridPacketsReceived => Received.HybridPackets;

    /// <summary>Packets received for the first time, repairs included.</summary>
    public ulong PacketsReceived => Received.PacketsReceived + Lateral.PacketsReceived + Timed.PacketsReceived;

    /// <summary>Packets that were here already.</summary>
    public ulong PacketsDuplicate => Received.PacketsDuplicate + Lateral.PacketsDuplicate + Timed.Duplicates;

    /// <summary>Sequences found missing.</summary>
    public ulong PacketsMissed => Received.PacketsMissed + Timed.PacketsMissing;

    /// <summary>Packets received of which no message was in a group that this node is in.</summary>
    public ulong PacketsFiltered => Delivered.PacketsFiltered + Timed.PacketsFiltered;

    /// <summary>Packets that came in parts, because datagrams of their length do not arrive here.</summary>
    public ulong PacketsJoined => Received.PacketsJoined;

    /// <summary>Packets that a peer repaired here.</summary>
    public ulong RepairsFromPeers => Received.RepairsFromPeers + Lateral.PacketsRecovered;

    /// <summary>Packets that their sender repaired here.</summary>
    public ulong RepairsFromSenders => Received.RepairsFromSenders + Lateral.PacketsResent;

    /// <summary>Repairs that came, from a peer or the sender, for packets that were here already.</summary>
    public ulong RepairsWasted => Received.RepairsWasted;

    /// <summary>Repairs sent to others, from the cache or as sender.</summary>
    public ulong RepairsGiven =>
        Received.RepairsGiven + Sent.Retransmissions + Lateral.RepairsSent + Lateral.ResendsGiven
        + Timed.Repairs + Timed.PartnerRepairs;

    /// <summary>Bytes of received packets kept.</summary>
    public long CachedBytes => Received.CachedBytes + Delivered.HeldBytes;

    /// <summary>Token rounds completed as leader.</summary>
    public ulong TokenRounds => Received.TokenRounds;

    /// <summary>Smoothed duration of those rounds.</summary>
    public TimeSpan TokenRoundTrip => Received.TokenRoundTrip;

    /// <summary>Token hops skipped because a member did not answer.</summary>
    public ulong TokenSkips => Received.TokenSkips;

    /// <summary>
    /// Times that a member began to be suspect: it had answered nothing for a second of asking. Counted once an
    /// episode, for any number of views.
    /// </summary>
    public ulong Suspicions => Received.Suspicions;

    /// <summary>Members that hold up a region that this node is in or sends to.</summary>
    public int MembersHoldingUp => rooms.Lags.HoldingUp;

    /// <summary>When the longest of them began; never, when there is none.</summary>
    public Instant HeldUpSince => rooms.Lags.HeldUpSince;

    /// <summary>Datagrams of all kinds passed to the kernel.</summary>
    public ulong DatagramsSent => rooms.Roots.Counters.TotalDatagrams;

    /// <summary>Bytes of all datagrams sent.</summary>
    public ulong DatagramBytesSent => rooms.Roots.Counters.TotalBytes;

    /// <summary>Control datagrams sent: tokens, acknowledgements, NAKs, pulls, beacons.</summary>
    public ulong ControlSent => Received.ControlSent + Sent.Beacons + Sent.CarrierProbes;

    /// <summary>Times a member was found that this node's multicast does not reach.</summary>
    public ulong MembersToUnicast => Sent.MembersToUnicast;

    /// <summary>
    /// Members that this node reaches by unicast because its multicast does not arrive there: the maximum over its
    /// streams.
    /// </summary>
    public int MembersByUnicast => MostByUnicast(rooms.Disseminator.Streams);

    /// <summary>
    /// The longest datagram packed for the region with the narrowest way; 0 while this node sends to none.
    /// </summary>
    public int ShortestSlot => rooms.Disseminator.ShortestSlot;

    /// <summary>Ways to and from other nodes that drop long datagrams.</summary>
    public int NarrowPaths => rooms.Disseminator.Paths.Count + rooms.Recoverer.Inbound.NarrowCount;

    /// <summary>Packets per second that the slowest of the node's streams is allowed; 0 while there is none.</summary>
    public double RateLimit => SlowestRate(rooms.Disseminator.Streams);

    /// <summary>Steps installed.</summary>
    public ulong StepsInstalled => rooms.StepsInstalled;

    private DisseminationCounters Sent => rooms.DisseminationCounters;

    private RecoveryCounters Received => rooms.RecoveryCounters;

    private DeliveryCounters Delivered => rooms.DeliveryCounters;

    private static int MostByUnicast(IReadOnlyList<StreamSender> streams)
    {
        int highest = 0;
        for (int index = 0; index < streams.Count; index++)
        {
            highest = Math.Max(highest, streams[index].MembersByUnicast);
        }
        return highest;
    }

    private static double SlowestRate(IReadOnlyList<StreamSender> streams)
    {
        double slowest = double.PositiveInfinity;
        for (int index = 0; index < streams.Count; index++)
        {
            slowest = Math.Min(slowest, streams[index].PacketsPerSecond);
        }
        return double.IsFinite(slowest) ? slowest : 0;
    }
}
