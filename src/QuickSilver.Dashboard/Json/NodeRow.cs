namespace QuickSilver.Dashboard.Json;

/// <summary>A node in the table of nodes. Rates are per second.</summary>
internal sealed record NodeRow
{
    /// <summary>Address and incarnation.</summary>
    public required string Id { get; init; }

    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>Version of the package that it runs.</summary>
    public string Version { get; init; } = "";

    /// <summary>State of the node.</summary>
    public NodeState State { get; init; }

    /// <summary>Whether it has fallen silent.</summary>
    public bool Silent { get; init; }

    /// <summary>Seconds since it was last heard.</summary>
    public double AgeSeconds { get; init; }

    /// <summary>Number of its groups.</summary>
    public int Groups { get; init; }

    /// <summary>Messages sent.</summary>
    public double Sent { get; init; }

    /// <summary>Messages delivered.</summary>
    public double Received { get; init; }

    /// <summary>Bytes of the messages delivered.</summary>
    public double BytesReceived { get; init; }

    /// <summary>Packets sent.</summary>
    public double RateActual { get; init; }

    /// <summary>Packets that the slowest region allows; 0 while none is limited.</summary>
    public double RateLimit { get; init; }

    /// <summary>Packets found missing.</summary>
    public double Missed { get; init; }

    /// <summary>Missing packets that neighbours repaired.</summary>
    public double RepairsFromPeers { get; init; }

    /// <summary>Missing packets that senders repaired.</summary>
    public double RepairsFromSenders { get; init; }

    /// <summary>Messages that were lost, since its start.</summary>
    public long Lost { get; init; }

    /// <summary>Token round trip in milliseconds; 0 while it leads no region.</summary>
    public double TokenMs { get; init; }

    /// <summary>Loop use, from 0 to 1.</summary>
    public double Loop { get; init; }

    /// <summary>Bytes sent but not known to be held by all.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Bytes that the application has not read.</summary>
    public long InboxBytes { get; init; }
}
