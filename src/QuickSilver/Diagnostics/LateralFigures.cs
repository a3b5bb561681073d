using QuickSilver.Protocol.Lateral;

namespace QuickSilver.Diagnostics;

/// <summary>The values of <see cref="LateralStatistics"/> as plain numbers.</summary>
internal struct LateralFigures
{
    public long PacketsSent;
    public long PacketsReceived;
    public long PacketsDuplicate;
    public long RepairsSent;
    public long RepairBytesSent;
    public long RepairsReceived;
    public long RepairsUseless;
    public long RepairsUnusable;
    public long PacketsRebuilt;
    public long PacketsDisproved;
    public long PacketsAsked;
    public long PacketsResent;
    public long ResendsGiven;
    public long ResendsRefused;
    public long MessagesLost;
    public long DeadlinesPassed;
    public long CachedBytes;

    /// <summary>Copies the counters of the present protocol stack.</summary>
    public static LateralFigures Of(LateralCounters counters) => new()
    {
        PacketsSent = (long)counters.PacketsSent,
        PacketsReceived = (long)counters.PacketsReceived,
        PacketsDuplicate = (long)counters.PacketsDuplicate,
        RepairsSent = (long)counters.RepairsSent,
        RepairBytesSent = (long)counters.RepairBytesSent,
        RepairsReceived = (long)counters.RepairsReceived,
        RepairsUseless = (long)counters.RepairsUseless,
        RepairsUnusable = (long)counters.RepairsUnusable,
        PacketsRebuilt = (long)counters.PacketsRecovered,
        PacketsDisproved = (long)counters.PacketsDisproved,
        PacketsAsked = (long)counters.PacketsAsked,
        PacketsResent = (long)counters.PacketsResent,
        ResendsGiven = (long)counters.ResendsGiven,
        ResendsRefused = (long)counters.ResendsRefused,
        MessagesLost = (long)counters.MessagesLost,
        DeadlinesPassed = (long)counters.DeadlinesPassed,
        CachedBytes = counters.CachedBytes,
    };

    /// <summary>Adds the counters of earlier protocol stacks.</summary>
    public void Carry(in LateralFigures earlier)
    {
        PacketsSent += earlier.PacketsSent;
        PacketsReceived += earlier.PacketsReceived;
        PacketsDuplicate += earlier.PacketsDuplicate;
        RepairsSent += earlier.RepairsSent;
        RepairBytesSent += earlier.RepairBytesSent;
        RepairsReceived += earlier.RepairsReceived;
        RepairsUseless += earlier.RepairsUseless;
        RepairsUnusable += earlier.RepairsUnusable;
        PacketsRebuilt += earlier.PacketsRebuilt;
        PacketsDisproved += earlier.PacketsDisproved;
        PacketsAsked += earlier.PacketsAsked;
        PacketsResent += earlier.PacketsResent;
        ResendsGiven += earlier.ResendsGiven;
        ResendsRefused += earlier.ResendsRefused;
        MessagesLost += earlier.MessagesLost;
        DeadlinesPassed += earlier.DeadlinesPassed;
    }

    /// <summary>Converts to the public type.</summary>
    public readonly LateralStatistics ToStatistics() => new()
    {
        PacketsSent = PacketsSent,
        PacketsReceived = PacketsReceived,
        PacketsDuplicate = PacketsDuplicate,
        RepairsSent = RepairsSent,
        RepairBytesSent = RepairBytesSent,
        RepairsReceived = RepairsReceived,
        RepairsUseless = RepairsUseless,
        RepairsUnusable = RepairsUnusable,
        PacketsRebuilt = PacketsRebuilt,
        PacketsDisproved = PacketsDisproved,
        PacketsAsked = PacketsAsked,
        PacketsResent = PacketsResent,
        ResendsGiven = ResendsGiven,
        ResendsRefused = ResendsRefused,
        MessagesLost = MessagesLost,
        DeadlinesPassed = DeadlinesPassed,
        CachedBytes = CachedBytes,
    };
}
