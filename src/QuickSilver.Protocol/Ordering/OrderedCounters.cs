namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// Counters of a node's ordered groups since its start, and gauges of the present. Written by the core thread only.
/// </summary>
internal sealed class OrderedCounters
{
    /// <summary>Messages of this node that have their place in the order.</summary>
    public ulong MessagesSent;

    /// <summary>Packets sent for the first time.</summary>
    public ulong PacketsSent;

    /// <summary>Packets received for the first time, however they came.</summary>
    public ulong PacketsReceived;

    /// <summary>Packets received again.</summary>
    public ulong Duplicates;

    /// <summary>Packets that this node has asked for by the token.</summary>
    public ulong PacketsAsked;

    /// <summary>Packets sent again because the token asked for them.</summary>
    public ulong Repairs;

    /// <summary>Visits of the token.</summary>
    public ulong TokenVisits;

    /// <summary>Tokens sent again because nothing showed that they had arrived.</summary>
    public ulong TokensResent;

    /// <summary>Questions to members whether they hear this node: it, or another one, waits for one.</summary>
    public ulong Calls;

    /// <summary>Answers to them.</summary>
    public ulong CallsAnswered;

    /// <summary>Rings that this node has entered.</summary>
    public ulong Rings;

    /// <summary>Packets of ended rings that came from other members.</summary>
    public ulong PacketsRecovered;

    /// <summary>Packets of ended rings that nobody may deliver: one before them is lost with its sender.</summary>
    public ulong PacketsDiscarded;

    /// <summary>Messages delivered, own ones included.</summary>
    public ulong Messages;

    /// <summary>Packets that are held now: not known to be held by all, or not delivered.</summary>
    public long PacketsHeld;
}
