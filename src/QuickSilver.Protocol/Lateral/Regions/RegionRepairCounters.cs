namespace QuickSilver.Protocol.Lateral.Regions;

/// <summary>
/// What lateral repair of a node's region has done. What it has mended is in
/// <see cref="Recovery.RecoveryCounters.RepairsLateral"/>. Core thread only.
/// </summary>
public sealed class RegionRepairCounters
{
    /// <summary>Repairs sent.</summary>
    public ulong RepairsSent;

    /// <summary>Bytes of those datagrams.</summary>
    public ulong RepairBytesSent;

    /// <summary>Repairs received.</summary>
    public ulong RepairsReceived;

    /// <summary>Repairs received of which every packet was here.</summary>
    public ulong RepairsUseless;

    /// <summary>Repairs received that name packets which are no longer kept, or are not for this node.</summary>
    public ulong RepairsUnusable;

    /// <summary>Packets rebuilt from repairs that their checksum disproved.</summary>
    public ulong PacketsDisproved;
}
