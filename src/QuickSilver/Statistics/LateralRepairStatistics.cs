namespace QuickSilver;

/// <summary>Counters of lateral repair in a node's reliable groups (<see cref="GroupOptions.LateralRepair"/>) since its
/// start. Part of <see cref="NodeStatistics"/>.</summary>
public sealed record LateralRepairStatistics
{
    /// <summary>Missing packets that lateral repairs gave back, of those that
    /// <see cref="NodeStatistics.PacketsReceived"/> counts.</summary>
    public long PacketsRebuilt { get; init; }

    /// <summary>Packets rebuilt from repairs that their checksum disproved, and that were dropped. 0 unless a member
    /// lies or memory is damaged.</summary>
    public long PacketsDisproved { get; init; }

    /// <summary>Repairs sent: datagrams that combine packets, each to one member.</summary>
    public long RepairsSent { get; init; }

    /// <summary>Bytes of those datagrams.</summary>
    public long RepairBytesSent { get; init; }

    /// <summary>Repairs received.</summary>
    public long RepairsReceived { get; init; }

    /// <summary>Repairs received of which every packet was here. Most are, where little is lost.</summary>
    public long RepairsUseless { get; init; }

    /// <summary>Repairs received that could not be used, because they name packets that all members hold and that have
    /// been released.</summary>
    public long RepairsUnusable { get; init; }

    /// <summary>Repairs that neighbours or senders sent for packets which were here already. Each was asked for before
    /// its packet came by itself, or was rebuilt. Counted without lateral repair, too.</summary>
    public long RepairsWasted { get; init; }
}
