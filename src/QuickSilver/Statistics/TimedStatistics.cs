namespace QuickSilver;

/// <summary>Counters of a node's groups of <see cref="GroupMode.Timed"/> since its start; all 0 while it has been in
/// none. Part of <see cref="NodeStatistics"/>.</summary>
public sealed record TimedStatistics
{
    /// <summary>Packets sent for the first time; each counts once, whatever the number of regions.</summary>
    public long PacketsSent { get; init; }

    /// <summary>Messages that were too old before they could be sent, or too long. Nobody gets them.</summary>
    public long MessagesNotSent { get; init; }

    /// <summary>Packets that left their sender's memory before their time, because newer ones needed the room:
    /// <see cref="TimedMode.PacketsPerSecond"/> is too low.</summary>
    public long PacketsPushedOut { get; init; }

    /// <summary>Own packets sent again.</summary>
    public long RepairsSent { get; init; }

    /// <summary>Packets of others sent again.</summary>
    public long PartnerRepairsSent { get; init; }

    /// <summary>Requests sent.</summary>
    public long RequestsSent { get; init; }

    /// <summary>Requests that were not sent, because another member's was heard first.</summary>
    public long RequestsSuppressed { get; init; }

    /// <summary>Requests received that went beyond their budget, and were dropped.</summary>
    public long RequestsOverBudget { get; init; }

    /// <summary>Packets that were not asked for, because an answer could not have come within their time.</summary>
    public long TooLateToAsk { get; init; }

    /// <summary>Answers that a packet asked for is no longer held.</summary>
    public long GoneSent { get; init; }

    /// <summary>Packets received for the first time, however they came.</summary>
    public long PacketsReceived { get; init; }

    /// <summary>Packets received again.</summary>
    public long PacketsDuplicate { get; init; }

    /// <summary>Packets that were missing when a later one came.</summary>
    public long PacketsMissing { get; init; }

    /// <summary>Missing packets that came in time.</summary>
    public long PacketsRecovered { get; init; }

    /// <summary>Messages passed over and reported lost: <see cref="LossReason.Expired"/>.</summary>
    public long MessagesExpired { get; init; }

    /// <summary>Messages out of <see cref="MessagesExpired"/> that came whole, but after their time.</summary>
    public long CameTooLate { get; init; }

    /// <summary>Missing packets and waiting messages that a newer message with their key made worthless.</summary>
    public long Superseded { get; init; }

    /// <summary>Bytes of received packets held now.</summary>
    public long HeldBytes { get; init; }
}
