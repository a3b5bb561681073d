using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>Counters since the start, and two gauges. Written by the core thread only.</summary>
internal sealed class DisseminationCounters
{
    /// <summary>Messages bound to a step and numbered.</summary>
    public ulong MessagesSent;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesSent;

    /// <summary>Packets sent for the first time, one per region; a hybrid packet counts once.</summary>
    public ulong PacketsSent;

    /// <summary>Packets of these that left once for all regions of a group.</summary>
    public ulong HybridPackets;

    /// <summary>
    /// Messages of hybrid groups that span regions, and went to one or more of them by packets of their own; also for
    /// each region that dropped out of hybrid packets while they waited.
    /// </summary>
    public ulong HybridFallbacks;

    /// <summary>Packets of these that members read in place: notes of them were sent.</summary>
    public ulong PacketsLent;

    /// <summary>Datagrams of data as they were sent: with unicast fan-out, one per member; a note of several packets is
    /// one.</summary>
    public ulong DataDatagrams;

    /// <summary>
    /// Messages as they were sent for the first time: once per region by multicast, once per member with unicast
    /// fan-out. A message that spans trains counts with its last byte.
    /// </summary>
    public ulong MessageCopies;

    /// <summary>Packets sent again because of NAKs; with unicast fan-out, one per member.</summary>
    public ulong Retransmissions;

    /// <summary>Beacons, finals included; with unicast fan-out, one per member.</summary>
    public ulong Beacons;

    /// <summary>Probes that ask who hears this node's multicast.</summary>
    public ulong CarrierProbes;

    /// <summary>Times a member was found that this node's multicast does not reach.</summary>
    public ulong MembersToUnicast;

    /// <summary>NAKed packets that were not sent once more, because they had been sent too often.</summary>
    public ulong RepeatsRefused;

    /// <summary>
    /// NAKed packets that were not sent again: already stable, or sent to the same asker within a round trip.
    /// </summary>
    public ulong NaksIgnored;

    /// <summary>
    /// Acknowledgements and requested ranges that named packets never sent: the rest of each counted.
    /// </summary>
    public ulong FeedbackCutShort;

    /// <summary>Answers to this node's packets: feedback that showed more of them stable.</summary>
    public ulong Answers;

    /// <summary>How often admission to a group shut.</summary>
    public ulong GatesShut;

    /// <summary>Messages taken from sources and not yet known stable, counted once per stream.</summary>
    public long PendingMessages;

    /// <summary>Bytes of those messages.</summary>
    public long PendingBytes;
}
