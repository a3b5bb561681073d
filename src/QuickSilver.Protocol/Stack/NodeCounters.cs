using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// A node's counters since its start, and gauges of the present. Written by the core thread only; the host copies them
/// at the end of a turn.
/// </summary>
/// <param name="rejected">Drops of remote input.</param>
internal sealed class NodeCounters(RejectCounters rejected)
{
    /// <summary>Remote input dropped, by reason.</summary>
    public RejectCounters Rejected { get; } = rejected;

    /// <summary>Messages bound to a step and numbered.</summary>
    public ulong MessagesSent;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesSent;

    /// <summary>Messages delivered, own ones included.</summary>
    public ulong MessagesReceived;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesReceived;

    /// <summary>Packets sent for the first time, one per region; a hybrid packet counts once.</summary>
    public ulong PacketsSent;

    /// <summary>Packets of these that left once for all regions of a hybrid group.</summary>
    public ulong HybridPacketsSent;

    /// <summary>Messages of hybrid groups that left in packets of regions.</summary>
    public ulong HybridFallbacks;

    /// <summary>Hybrid packets received, duplicates included.</summary>
    public ulong HybridPacketsReceived;

    /// <summary>Packets of these that members of the same machine read in place: notes of them were sent.</summary>
    public ulong PacketsLent;

    /// <summary>Datagrams of data sent: with unicast fan-out, one per member; a note of several packets is one.
    /// </summary>
    public ulong DataDatagramsSent;

    /// <summary>
    /// Messages sent for the first time: once per region by multicast, once per member with unicast fan-out.
    /// </summary>
    public ulong MessageCopies;

    /// <summary>Datagrams of all kinds passed to the kernel.</summary>
    public ulong DatagramsSent;

    /// <summary>Packets received for the first time, repairs included.</summary>
    public ulong PacketsReceived;

    /// <summary>Packets that were here already.</summary>
    public ulong PacketsDuplicate;

    /// <summary>Sequences found missing.</summary>
    public ulong PacketsMissed;

    /// <summary>Packets that a peer repaired here.</summary>
    public ulong RepairsFromPeers;

    /// <summary>Packets that their sender repaired here.</summary>
    public ulong RepairsFromSenders;

    /// <summary>Repairs sent to others, from the cache or as sender.</summary>
    public ulong RepairsGiven;

    /// <summary>Packets that came in parts, because datagrams of their length do not arrive here.</summary>
    public ulong PacketsJoined;

    /// <summary>Repairs that were refused to other nodes, because they had been sent the packets too often.</summary>
    public ulong RepeatsRefused;

    /// <summary>Messages reported lost.</summary>
    public ulong MessagesLost;

    /// <summary>Packets of removed senders that no live member held.</summary>
    public ulong PacketsAbandoned;

    /// <summary>Streams of removed senders closed: one for each removed node and region view.</summary>
    public ulong StreamsClosed;

    /// <summary>Token rounds completed as leader.</summary>
    public ulong TokenRounds;

    /// <summary>Smoothed duration of those rounds.</summary>
    public TimeSpan TokenRoundTrip;

    /// <summary>Token hops skipped because a member did not answer.</summary>
    public ulong TokenSkips;

    /// <summary>
    /// Times that a member began to be suspect: it had answered nothing for a second of asking. Counted once an
    /// episode, for any number of views.
    /// </summary>
    public ulong Suspicions;

    /// <summary>Members that hold up a region that this node is in or sends to.</summary>
    public int MembersHoldingUp;

    /// <summary>When the longest of them began; never, when there is none.</summary>
    public Instant HeldUpSince = Instant.Never;

    /// <summary>Control datagrams sent: tokens, acknowledgements, NAKs, pulls, beacons.</summary>
    public ulong ControlSent;

    /// <summary>Bytes of all datagrams sent.</summary>
    public ulong DatagramBytesSent;

    /// <summary>Times a member was found that this node's multicast does not reach.</summary>
    public ulong MembersToUnicast;

    /// <summary>
    /// Members that this node reaches by unicast because its multicast does not arrive there: the maximum over its
    /// streams.
    /// </summary>
    public int MembersByUnicast;

    /// <summary>Steps installed.</summary>
    public ulong StepsInstalled;

    /// <summary>How often admission to a group shut.</summary>
    public ulong BackpressureEpisodes;

    /// <summary>Messages admitted or sent and not yet known stable, all streams.</summary>
    public long PendingMessages;

    /// <summary>Bytes of those messages.</summary>
    public long PendingBytes;

    /// <summary>Bytes of received packets kept.</summary>
    public long CachedBytes;

    /// <summary>Packets received of which no message was in a group that this node is in.</summary>
    public ulong PacketsFiltered;

    /// <summary>Messages received in groups of a region that this node is not in.</summary>
    public ulong MessagesFiltered;

    /// <summary>Region views that this node is a member of, present and draining.</summary>
    public int RegionViews;

    /// <summary>
    /// The longest datagram packed for the region with the narrowest way; 0 while this node sends to none.
    /// </summary>
    public int ShortestSlot;

    /// <summary>Ways to and from other nodes that drop long datagrams.</summary>
    public int NarrowPaths;

    /// <summary>Packets per second that the slowest of the node's streams is allowed; 0 while there is none.</summary>
    public double RateLimit;

    /// <summary>Those of the lateral groups.</summary>
    public Lateral.LateralCounters Lateral { get; private set; } = new();

    /// <summary>Repairs that came, from a peer or the sender, for packets that were here already.</summary>
    public ulong RepairsWasted;

    /// <summary>Those of the timed groups.</summary>
    public Timed.TimedCounters Timed { get; private set; } = new();

    internal void Update(StackParts rooms)
    {
        Dissemination.DisseminationCounters sent = rooms.DisseminationCounters;
        Recovery.RecoveryCounters received = rooms.RecoveryCounters;
        Delivery.DeliveryCounters delivered = rooms.DeliveryCounters;
        MessagesSent = sent.MessagesSent;
        BytesSent = sent.BytesSent;
        PacketsSent = sent.PacketsSent;
        PacketsLent = sent.PacketsLent;
        HybridPacketsSent = sent.HybridPackets;
        HybridFallbacks = sent.HybridFallbacks;
        DataDatagramsSent = sent.DataDatagrams;
        MessageCopies = sent.MessageCopies;
        DatagramsSent = rooms.Roots.Counters.TotalDatagrams;
        PendingMessages = sent.PendingMessages;
        PendingBytes = sent.PendingBytes;
        BackpressureEpisodes = sent.GatesShut;
        MessagesReceived = delivered.Messages;
        BytesReceived = delivered.Bytes;
        MessagesLost = delivered.Lost;
        PacketsFiltered = delivered.PacketsFiltered;
        MessagesFiltered = delivered.MessagesFiltered;
        PacketsReceived = received.PacketsReceived;
        PacketsDuplicate = received.PacketsDuplicate;
        HybridPacketsReceived = received.HybridPackets;
        PacketsMissed = received.PacketsMissed;
        RepairsFromPeers = received.RepairsFromPeers;
        RepairsFromSenders = received.RepairsFromSenders;
        RepairsWasted = received.RepairsWasted;
        RepairsGiven = received.RepairsGiven + sent.Retransmissions;
        PacketsJoined = received.PacketsJoined;
        ShortestSlot = rooms.Disseminator.ShortestSlot;
        NarrowPaths = rooms.Disseminator.Paths.Count + rooms.Recoverer.Inbound.NarrowCount;
        RepeatsRefused = received.RepeatsRefused + sent.RepeatsRefused;
        PacketsAbandoned = received.PacketsAbandoned;
        StreamsClosed = received.StreamsClosed;
        RegionViews = rooms.Recoverer.Regions.Count;
        TokenRounds = received.TokenRounds;
        TokenRoundTrip = received.TokenRoundTrip;
        TokenSkips = received.TokenSkips;
        Suspicions = received.Suspicions;
        MembersHoldingUp = rooms.Lags.HoldingUp;
        HeldUpSince = rooms.Lags.HeldUpSince;
        ControlSent = received.ControlSent + sent.Beacons;
        CachedBytes = received.CachedBytes + delivered.HeldBytes;
        DatagramBytesSent = rooms.Roots.Counters.TotalBytes;
        StepsInstalled = rooms.StepsInstalled;
        ControlSent += sent.CarrierProbes;
        MembersToUnicast = sent.MembersToUnicast;
        MembersByUnicast = MostByUnicast(rooms.Disseminator.Streams);
        RateLimit = SlowestRate(rooms.Disseminator.Streams);
        AddModes(rooms);
    }

    // What groups of other modes did counts with what reliable ones did.
    private void AddModes(StackParts rooms)
    {
        MessagesReceived += rooms.Modes.Totals.Messages;
        BytesReceived += rooms.Modes.Totals.Bytes;
        MessagesLost += rooms.Modes.Totals.Lost;
        Lateral = rooms.LateralCounters;
        PacketsSent += Lateral.PacketsSent;
        PacketsReceived += Lateral.PacketsReceived;
        PacketsDuplicate += Lateral.PacketsDuplicate;
        RepairsFromPeers += Lateral.PacketsRecovered;
        RepairsFromSenders += Lateral.PacketsResent;
        RepairsGiven += Lateral.RepairsSent + Lateral.ResendsGiven;
        RepeatsRefused += Lateral.ResendsRefused;
        Timed = rooms.TimedCounters;
        PacketsSent += Timed.PacketsSent;
        PacketsReceived += Timed.PacketsReceived;
        PacketsDuplicate += Timed.Duplicates;
        PacketsMissed += Timed.PacketsMissing;
        PacketsFiltered += Timed.PacketsFiltered;
        RepairsGiven += Timed.Repairs + Timed.PartnerRepairs;
    }

    private static int MostByUnicast(IReadOnlyList<Dissemination.Streams.StreamSender> streams)
    {
        int highest = 0;
        for (int index = 0; index < streams.Count; index++)
        {
            highest = Math.Max(highest, streams[index].MembersByUnicast);
        }
        return highest;
    }

    private static double SlowestRate(IReadOnlyList<Dissemination.Streams.StreamSender> streams)
    {
        double slowest = double.PositiveInfinity;
        for (int index = 0; index < streams.Count; index++)
        {
            slowest = Math.Min(slowest, streams[index].PacketsPerSecond);
        }
        return double.IsFinite(slowest) ? slowest : 0;
    }
}
