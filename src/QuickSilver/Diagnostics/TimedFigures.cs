using QuickSilver.Protocol.Timed;

namespace QuickSilver.Diagnostics;

/// <summary>The values of <see cref="TimedStatistics"/> as plain numbers.</summary>
internal struct TimedFigures
{
    public long PacketsSent;
    public long MessagesNotSent;
    public long PacketsPushedOut;
    public long RepairsSent;
    public long PartnerRepairsSent;
    public long RequestsSent;
    public long RequestsSuppressed;
    public long RequestsOverBudget;
    public long TooLateToAsk;
    public long GoneSent;
    public long PacketsReceived;
    public long PacketsDuplicate;
    public long PacketsMissing;
    public long PacketsRecovered;
    public long MessagesExpired;
    public long CameTooLate;
    public long Superseded;
    public long HeldBytes;

    /// <summary>Copies the counters of the present protocol stack.</summary>
    public static TimedFigures Of(TimedCounters counters) => new()
    {
        PacketsSent = (long)counters.PacketsSent,
        MessagesNotSent = (long)counters.MessagesNotSent,
        PacketsPushedOut = (long)counters.PushedOut,
        RepairsSent = (long)counters.Repairs,
        PartnerRepairsSent = (long)counters.PartnerRepairs,
        RequestsSent = (long)counters.NaksSent,
        RequestsSuppressed = (long)counters.NaksSuppressed,
        RequestsOverBudget = (long)counters.NaksOverBudget,
        TooLateToAsk = (long)counters.TooLateToAsk,
        GoneSent = (long)counters.GoneSent,
        PacketsReceived = (long)counters.PacketsReceived,
        PacketsDuplicate = (long)counters.Duplicates,
        PacketsMissing = (long)counters.PacketsMissing,
        PacketsRecovered = (long)counters.PacketsRecovered,
        MessagesExpired = (long)counters.Expired,
        CameTooLate = (long)counters.CameTooLate,
        Superseded = (long)counters.Replaced,
        HeldBytes = counters.HeldBytes,
    };

    /// <summary>Adds the counters of earlier protocol stacks.</summary>
    public void Carry(in TimedFigures earlier)
    {
        PacketsSent += earlier.PacketsSent;
        MessagesNotSent += earlier.MessagesNotSent;
        PacketsPushedOut += earlier.PacketsPushedOut;
        RepairsSent += earlier.RepairsSent;
        PartnerRepairsSent += earlier.PartnerRepairsSent;
        RequestsSent += earlier.RequestsSent;
        RequestsSuppressed += earlier.RequestsSuppressed;
        RequestsOverBudget += earlier.RequestsOverBudget;
        TooLateToAsk += earlier.TooLateToAsk;
        GoneSent += earlier.GoneSent;
        PacketsReceived += earlier.PacketsReceived;
        PacketsDuplicate += earlier.PacketsDuplicate;
        PacketsMissing += earlier.PacketsMissing;
        PacketsRecovered += earlier.PacketsRecovered;
        MessagesExpired += earlier.MessagesExpired;
        CameTooLate += earlier.CameTooLate;
        Superseded += earlier.Superseded;
    }

    /// <summary>Converts to the public type.</summary>
    public readonly TimedStatistics ToStatistics() => new()
    {
        PacketsSent = PacketsSent,
        MessagesNotSent = MessagesNotSent,
        PacketsPushedOut = PacketsPushedOut,
        RepairsSent = RepairsSent,
        PartnerRepairsSent = PartnerRepairsSent,
        RequestsSent = RequestsSent,
        RequestsSuppressed = RequestsSuppressed,
        RequestsOverBudget = RequestsOverBudget,
        TooLateToAsk = TooLateToAsk,
        GoneSent = GoneSent,
        PacketsReceived = PacketsReceived,
        PacketsDuplicate = PacketsDuplicate,
        PacketsMissing = PacketsMissing,
        PacketsRecovered = PacketsRecovered,
        MessagesExpired = MessagesExpired,
        CameTooLate = CameTooLate,
        Superseded = Superseded,
        HeldBytes = HeldBytes,
    };
}
