namespace QuickSilver.Dashboard.Json;

/// <summary>The cluster in a dozen figures. Rates are per second, over all nodes.</summary>
internal sealed record Overview
{
    /// <summary>Name of the cluster.</summary>
    public string Cluster { get; init; } = "";

    /// <summary>When the figures were put together.</summary>
    public DateTimeOffset Time { get; init; }

    /// <summary>Number of nodes.</summary>
    public int Nodes { get; init; }

    /// <summary>Number of nodes that have fallen silent.</summary>
    public int Silent { get; init; }

    /// <summary>Number of groups that a node reports.</summary>
    public int Groups { get; init; }

    /// <summary>Number of groups of the node that is in most.</summary>
    public int MostGroups { get; init; }

    /// <summary>Number of regions that a node reports.</summary>
    public int Regions { get; init; }

    /// <summary>Snapshots of nodes that broke a bound and were dropped.</summary>
    public long Rejected { get; init; }

    /// <summary>Messages sent.</summary>
    public double Sent { get; init; }

    /// <summary>Messages delivered.</summary>
    public double Received { get; init; }

    /// <summary>Bytes of the messages sent.</summary>
    public double BytesSent { get; init; }

    /// <summary>Bytes of the messages delivered.</summary>
    public double BytesReceived { get; init; }

    /// <summary>Packets found missing.</summary>
    public double Missed { get; init; }

    /// <summary>Missing packets that neighbours repaired.</summary>
    public double RepairsFromPeers { get; init; }

    /// <summary>Missing packets that senders repaired.</summary>
    public double RepairsFromSenders { get; init; }

    /// <summary>Messages that were lost, since the start of each node.</summary>
    public double Lost { get; init; }

    /// <summary>Longest token round trip of a node, in milliseconds.</summary>
    public double TokenMs { get; init; }

    /// <summary>Loop use of the busiest node, from 0 to 1.</summary>
    public double LoopMax { get; init; }

    /// <summary>Bytes sent but not known to be held by all.</summary>
    public double PendingBytes { get; init; }

    /// <summary>Bytes that applications have not read.</summary>
    public double InboxBytes { get; init; }

    /// <summary>The same for charts.</summary>
    public ClusterPoint Point { get; init; } = new();
}
