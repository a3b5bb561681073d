namespace QuickSilver;

/// <summary>Counters of a node's groups of <see cref="GroupMode.Ordered"/> since its start; all 0 while it has been in
/// none. Part of <see cref="NodeStatistics"/>.</summary>
public sealed record OrderedStatistics
{
    /// <summary>Messages of this node that have their place in the order.</summary>
    public long MessagesSent { get; init; }

    /// <summary>Packets sent for the first time; each counts once, whatever the number of regions.</summary>
    public long PacketsSent { get; init; }

    /// <summary>Packets received for the first time, however they came, those of groups that the node is not in
    /// included.</summary>
    public long PacketsReceived { get; init; }

    /// <summary>Packets received again.</summary>
    public long PacketsDuplicate { get; init; }

    /// <summary>Missing packets that this node has asked for by the token.</summary>
    public long PacketsAsked { get; init; }

    /// <summary>Packets sent again because the token asked for them.</summary>
    public long RepairsSent { get; init; }

    /// <summary>Visits of the token. None while nobody sends.</summary>
    public long TokenVisits { get; init; }

    /// <summary>Tokens sent again because nothing showed that they had arrived: the token was lost, or the next member
    /// was slow.</summary>
    public long TokensResent { get; init; }

    /// <summary>Rings that the node has entered. Each change of who is in ordered groups makes one.</summary>
    public long Rings { get; init; }

    /// <summary>Packets of ended rings that came from other members.</summary>
    public long PacketsRecovered { get; init; }

    /// <summary>Packets of ended rings that nobody delivers: one before them was lost with its sender.</summary>
    public long PacketsDiscarded { get; init; }

    /// <summary>Messages delivered, own ones included.</summary>
    public long MessagesDelivered { get; init; }

    /// <summary>Packets held now: not known to be held by all, or not delivered.</summary>
    public long PacketsHeld { get; init; }
}
