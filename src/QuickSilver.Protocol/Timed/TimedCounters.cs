namespace QuickSilver.Protocol.Timed;

/// <summary>
/// Counters of a node's timed groups since its start, and gauges of the present. Written by the core thread only.
/// </summary>
internal sealed class TimedCounters
{
    /// <summary>Messages sent.</summary>
    public ulong MessagesSent;

    /// <summary>Bytes of those messages.</summary>
    public ulong BytesSent;

    /// <summary>Packets sent for the first time, each counted once, whatever the number of regions.</summary>
    public ulong PacketsSent;

    /// <summary>Messages that were too old, or too long, before they were sent.</summary>
    public ulong MessagesNotSent;

    /// <summary>Packets that left the sender's memory before their time, because newer ones needed the room.</summary>
    public ulong PushedOut;

    /// <summary>Packets sent again by their sender.</summary>
    public ulong Repairs;

    /// <summary>Packets of others sent again.</summary>
    public ulong PartnerRepairs;

    /// <summary>Requests sent.</summary>
    public ulong NaksSent;

    /// <summary>Requests that were heard from others before the own was sent.</summary>
    public ulong NaksSuppressed;

    /// <summary>Requests received that went beyond their budget.</summary>
    public ulong NaksOverBudget;

    /// <summary>Requests heard, from others to this node and to others.</summary>
    public ulong NaksReceived;

    /// <summary>Packets that were not asked for, because an answer could not have come in time.</summary>
    public ulong TooLateToAsk;

    /// <summary>Announcements of packets that are no longer held.</summary>
    public ulong GoneSent;

    /// <summary>Messages delivered, own ones included.</summary>
    public ulong Messages;

    /// <summary>Bytes of those messages.</summary>
    public ulong Bytes;

    /// <summary>Messages reported lost: not here within their time.</summary>
    public ulong Expired;

    /// <summary>Messages that came whole, after their time.</summary>
    public ulong CameTooLate;

    /// <summary>Missing packets and waiting messages that a newer message with their key made worthless.</summary>
    public ulong Replaced;

    /// <summary>Packets received for the first time, however they came.</summary>
    public ulong PacketsReceived;

    /// <summary>Packets received again.</summary>
    public ulong Duplicates;

    /// <summary>Packets that were missing when a later one came.</summary>
    public ulong PacketsMissing;

    /// <summary>Packets that were missing and came.</summary>
    public ulong PacketsRecovered;

    /// <summary>Messages joined from fragments.</summary>
    public ulong Joined;

    /// <summary>Packets of messages that were sent before the receiver joined.</summary>
    public ulong BeforeJoin;

    /// <summary>Packets of groups that this node is not in.</summary>
    public ulong PacketsFiltered;

    /// <summary>Bytes of received packets that are held now.</summary>
    public long HeldBytes;
}
