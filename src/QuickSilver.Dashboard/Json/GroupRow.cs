namespace QuickSilver.Dashboard.Json;

/// <summary>A group over all nodes that report it, or at one node. Rates are per second.</summary>
internal sealed record GroupRow
{
    /// <summary>Name of the group; in the table of one group, the name of the node.</summary>
    public required string Name { get; init; }

    /// <summary>What the group promises.</summary>
    public GroupMode Mode { get; init; }

    /// <summary>Number of members.</summary>
    public int Members { get; init; }

    /// <summary>Number of regions that it spans.</summary>
    public int Regions { get; init; }

    /// <summary>Messages sent.</summary>
    public double Sent { get; init; }

    /// <summary>Messages delivered.</summary>
    public double Received { get; init; }

    /// <summary>Bytes of the messages delivered.</summary>
    public double BytesReceived { get; init; }

    /// <summary>Bytes sent but not known to be held by all.</summary>
    public double PendingBytes { get; init; }

    /// <summary>Bytes that applications have not read.</summary>
    public double InboxBytes { get; init; }

    /// <summary>Name of the node with most unread bytes; null when all is read.</summary>
    public string? SlowestReader { get; init; }

    /// <summary>Messages that were lost.</summary>
    public double Lost { get; init; }

    /// <summary>Messages that full inboxes dropped.</summary>
    public double Dropped { get; init; }
}
