namespace QuickSilver;

/// <summary>Counters of one group since this node joined it, or opened its publisher, and current gauges. A snapshot:
/// it does not change.</summary>
public sealed record GroupStatistics
{
    /// <summary>Name of the group.</summary>
    public required string Name { get; init; }

    /// <summary>What the group promises.</summary>
    public GroupMode Mode { get; init; }

    /// <summary>True for what the node's <see cref="GroupPublisher"/> sends; its membership, if there is one, has a
    /// record of its own.</summary>
    public bool IsPublisher { get; init; }

    /// <summary>Number of the newest installed view.</summary>
    public ulong ViewNumber { get; init; }

    /// <summary>Number of members in that view.</summary>
    public int Members { get; init; }

    /// <summary>Number of regions that the group spans.</summary>
    public int Regions { get; init; }

    /// <summary>Messages that this node has admitted to the group, numbered or not. The sum over all groups runs ahead
    /// of <see cref="NodeStatistics.MessagesSent"/>, which counts a message once it is numbered.</summary>
    public long MessagesSent { get; init; }

    /// <summary>Messages delivered, the node's own included.</summary>
    public long MessagesReceived { get; init; }

    /// <summary>Bytes of the admitted messages.</summary>
    public long BytesSent { get; init; }

    /// <summary>Bytes of the delivered messages.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Bytes of admitted messages not yet known to be held by every live member.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Unread messages in all handles on the group.</summary>
    public long InboxMessages { get; init; }

    /// <summary>Bytes of unread messages and of undisposed leases.</summary>
    public long InboxBytes { get; init; }

    /// <summary>Messages that will never be delivered to this node.</summary>
    public long MessagesLost { get; init; }

    /// <summary>Messages that full inboxes dropped.</summary>
    public long MessagesDropped { get; init; }
}
