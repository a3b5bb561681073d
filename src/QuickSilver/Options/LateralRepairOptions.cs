using QuickSilver.Protocol.Lateral.Regions;

namespace QuickSilver;

/// <summary>Settings of lateral repair in a group of <see cref="GroupMode.Reliable"/> at this node
/// (<see cref="GroupOptions.LateralRepair"/>). The join copies and validates them. A second handle on the same group
/// has the first one's.</summary>
public sealed record LateralRepairOptions
{
    /// <summary>Packets that one repair combines. Fewer mend sooner, and cost more traffic. The lowest of the node's
    /// groups counts for all of them. Default: 8.</summary>
    public int PacketsPerRepair { get; set; } = 8;

    /// <summary>Repairs that include each packet, on average. The traffic of repairs is this number divided by
    /// <see cref="PacketsPerRepair"/>, of the traffic that the node receives. A node that sends few repairs sends up to
    /// 100 a second beyond that, so that rare messages do not wait. The highest of the node's groups counts for all of
    /// them. Default: 2.2.</summary>
    public double RepairsPerPacket { get; set; } = 2.2;

    internal void Validate(OptionErrors errors)
    {
        const string Path = "LateralRepair.";
        errors.InRange(Path + nameof(PacketsPerRepair), PacketsPerRepair, 1, 64);
        if (!(RepairsPerPacket > 0 && RepairsPerPacket <= 64))
            errors.Add(Path + nameof(RepairsPerPacket), $"{RepairsPerPacket} is not above 0 and at most 64");
    }

    internal RegionRepairSettings ToSettings() => new()
    {
        PacketsPerRepair = PacketsPerRepair,
        RepairsPerPacket = RepairsPerPacket,
    };
}
