using QuickSilver.Protocol.Ordering;

namespace QuickSilver.Diagnostics;

/// <summary>The values of <see cref="OrderedStatistics"/> as plain numbers.</summary>
internal struct OrderedFigures
{
    public long MessagesSent;
    public long PacketsSent;
    public long PacketsReceived;
    public long PacketsDuplicate;
    public long PacketsAsked;
    public long RepairsSent;
    public long TokenVisits;
    public long TokensResent;
    public long Rings;
    public long PacketsRecovered;
    public long PacketsDiscarded;
    public long MessagesDelivered;
    public long PacketsHeld;

    /// <summary>Copies the counters of the present protocol stack.</summary>
    public static OrderedFigures Of(OrderedCounters counters) => new()
    {
        MessagesSent = (long)counters.MessagesSent,
        PacketsSent = (long)counters.PacketsSent,
        PacketsReceived = (long)counters.PacketsReceived,
        PacketsDuplicate = (long)counters.Duplicates,
        PacketsAsked = (long)counters.PacketsAsked,
        RepairsSent = (long)counters.Repairs,
        TokenVisits = (long)counters.TokenVisits,
        TokensResent = (long)counters.TokensResent,
        Rings = (long)counters.Rings,
        PacketsRecovered = (long)counters.PacketsRecovered,
        PacketsDiscarded = (long)counters.PacketsDiscarded,
        MessagesDelivered = (long)counters.Messages,
        PacketsHeld = counters.PacketsHeld,
    };

    /// <summary>Adds the counters of earlier protocol stacks.</summary>
    public void Carry(in OrderedFigures earlier)
    {
        MessagesSent += earlier.MessagesSent;
        PacketsSent += earlier.PacketsSent;
        PacketsReceived += earlier.PacketsReceived;
        PacketsDuplicate += earlier.PacketsDuplicate;
        PacketsAsked += earlier.PacketsAsked;
        RepairsSent += earlier.RepairsSent;
        TokenVisits += earlier.TokenVisits;
        TokensResent += earlier.TokensResent;
        Rings += earlier.Rings;
        PacketsRecovered += earlier.PacketsRecovered;
        PacketsDiscarded += earlier.PacketsDiscarded;
        MessagesDelivered += earlier.MessagesDelivered;
    }

    /// <summary>Converts to the public type.</summary>
    public readonly OrderedStatistics ToStatistics() => new()
    {
        MessagesSent = MessagesSent,
        PacketsSent = PacketsSent,
        PacketsReceived = PacketsReceived,
        PacketsDuplicate = PacketsDuplicate,
        PacketsAsked = PacketsAsked,
        RepairsSent = RepairsSent,
        TokenVisits = TokenVisits,
        TokensResent = TokensResent,
        Rings = Rings,
        PacketsRecovered = PacketsRecovered,
        PacketsDiscarded = PacketsDiscarded,
        MessagesDelivered = MessagesDelivered,
        PacketsHeld = PacketsHeld,
    };
}
