using QuickSilver.Protocol.Stack;

namespace QuickSilver.Diagnostics;

/// <summary>The values of <see cref="LateralRepairStatistics"/> as plain numbers.</summary>
internal struct LateralRepairFigures
{
    public long PacketsRebuilt;
    public long PacketsDisproved;
    public long RepairsSent;
    public long RepairBytesSent;
    public long RepairsReceived;
    public long RepairsUseless;
    public long RepairsUnusable;
    public long RepairsWasted;

    /// <summary>Copies the counters of the present protocol stack.</summary>
    public static LateralRepairFigures Of(NodeCounters counters) => new()
    {
        PacketsRebuilt = (long)counters.RepairsLateral,
        PacketsDisproved = (long)counters.RegionRepair.PacketsDisproved,
        RepairsSent = (long)counters.RegionRepair.RepairsSent,
        RepairBytesSent = (long)counters.RegionRepair.RepairBytesSent,
        RepairsReceived = (long)counters.RegionRepair.RepairsReceived,
        RepairsUseless = (long)counters.RegionRepair.RepairsUseless,
        RepairsUnusable = (long)counters.RegionRepair.RepairsUnusable,
        RepairsWasted = (long)counters.RepairsWasted,
    };

    /// <summary>Adds the counters of earlier protocol stacks.</summary>
    public void Carry(in LateralRepairFigures earlier)
    {
        PacketsRebuilt += earlier.PacketsRebuilt;
        PacketsDisproved += earlier.PacketsDisproved;
        RepairsSent += earlier.RepairsSent;
        RepairBytesSent += earlier.RepairBytesSent;
        RepairsReceived += earlier.RepairsReceived;
        RepairsUseless += earlier.RepairsUseless;
        RepairsUnusable += earlier.RepairsUnusable;
        RepairsWasted += earlier.RepairsWasted;
    }

    /// <summary>Converts to the public type.</summary>
    public readonly LateralRepairStatistics ToStatistics() => new()
    {
        PacketsRebuilt = PacketsRebuilt,
        PacketsDisproved = PacketsDisproved,
        RepairsSent = RepairsSent,
        RepairBytesSent = RepairBytesSent,
        RepairsReceived = RepairsReceived,
        RepairsUseless = RepairsUseless,
        RepairsUnusable = RepairsUnusable,
        RepairsWasted = RepairsWasted,
    };
}
