namespace QuickSilver;

/// <summary>Counters of a node's groups of <see cref="GroupMode.Lateral"/> since its start; all 0 while it has been in
/// none. Part of <see cref="NodeStatistics"/>.</summary>
public sealed record LateralStatistics
{
    /// <summary>Packets sent for the first time; each counts once, whatever the number of regions.</summary>
    public long PacketsSent { get; init; }

    /// <summary>Packets received for the first time, however they came.</summary>
    public long PacketsReceived { get; init; }

    /// <summary>Packets received again.</summary>
    public long PacketsDuplicate { get; init; }

    /// <summary>Repairs sent: datagrams that combine packets, each to one member.</summary>
    public long RepairsSent { get; init; }

    /// <summary>Bytes of those datagrams.</summary>
    public long RepairBytesSent { get; init; }

    /// <summary>Repairs received.</summary>
    public long RepairsReceived { get; init; }

    /// <summary>Repairs received of which every packet was known. Most are, where little is lost.</summary>
    public long RepairsUseless { get; init; }

    /// <summary>Repairs received that could not be used, because they name packets that are no longer kept or not for
    /// this node.</summary>
    public long RepairsUnusable { get; init; }

    /// <summary>Missing packets that repairs gave back.</summary>
    public long PacketsRebuilt { get; init; }

    /// <summary>Packets rebuilt from repairs that their checksum disproved, and that were dropped. 0 unless a member
    /// lies or memory is damaged.</summary>
    public long PacketsDisproved { get; init; }

    /// <summary>Requests for packets that repairs did not give back in time, one for each packet and try.</summary>
    public long PacketsAsked { get; init; }

    /// <summary>Packets that came because they were asked for.</summary>
    public long PacketsResent { get; init; }

    /// <summary>Packets sent again to members that asked.</summary>
    public long ResendsGiven { get; init; }

    /// <summary>Requests refused, because who asked had asked for too much.</summary>
    public long ResendsRefused { get; init; }

    /// <summary>Messages reported lost: <see cref="LossReason.DeadlinePassed"/> and
    /// <see cref="LossReason.SenderFailed"/>.</summary>
    public long MessagesLost { get; init; }

    /// <summary>Messages out of <see cref="MessagesLost"/> that were not had within
    /// <see cref="LateralMode.Deadline"/>.</summary>
    public long DeadlinesPassed { get; init; }

    /// <summary>Bytes of packets kept now, for repairs and requests.</summary>
    public long CachedBytes { get; init; }
}
