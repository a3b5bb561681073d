using QuickSilver.Protocol.Modes;

namespace QuickSilver.Protocol.Lateral.Regions;

/// <summary>
/// The settings of lateral repair in a reliable group at this node. Defaults are the public options' defaults.
/// </summary>
public sealed record RegionRepairSettings : ModeSettings
{
    /// <summary>Packets that one repair combines: r of the paper's rate of fire. The lowest of a node's groups counts
    /// for its region.</summary>
    public int PacketsPerRepair { get; init; } = 8;

    /// <summary>Repairs that include each packet, on average: c of the paper's rate of fire. The highest of a node's
    /// groups counts for its region.</summary>
    public double RepairsPerPacket { get; init; } = 2.2;
}
