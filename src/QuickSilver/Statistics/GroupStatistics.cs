namespace QuickSilver;

/// <summary>One group's counters since this node joined it, and gauges of the present. A copy.</summary>
public sealed record GroupStatistics
{
    /// <summary>The group's name.</summary>
    public required string Name { get; init; }

    /// <summary>Number of the newest installed view.</summary>
    public ulong ViewNumber { get; init; }

    /// <summary>Members of that view.</summary>
    public int Members { get; init; }

    /// <summary>Regions that the group spans.</summary>
    public int Regions { get; init; }

    /// <summary>Messages that this node has admitted to the group, numbered yet or not: the sum over all groups runs ahead of
    /// <see cref="NodeStatistics.MessagesSent"/>, which counts a message when it is numbered.</summary>
    public long MessagesSent { get; init; }

    /// <summary>Messages delivered, own ones included.</summary>
    public long MessagesReceived { get; init; }

    /// <summary>Bytes of the messages admitted.</summary>
    public long BytesSent { get; init; }

    /// <summary>Bytes of messages received.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Bytes admitted and not yet known to be held by every live member.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Unread messages, all handles.</summary>
    public long InboxMessages { get; init; }

    /// <summary>Bytes of them, and of leases not yet disposed of.</summary>
    public long InboxBytes { get; init; }

    /// <summary>Messages that will never be delivered here.</summary>
    public long MessagesLost { get; init; }

    /// <summary>Messages dropped by full inboxes.</summary>
    public long MessagesDropped { get; init; }
}
