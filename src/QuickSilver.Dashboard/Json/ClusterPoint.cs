namespace QuickSilver.Dashboard.Json;

/// <summary>Figures of the cluster at one time, for charts. Rates are per second.</summary>
internal sealed record ClusterPoint
{
    /// <summary>Seconds since 1970.</summary>
    public double Time { get; init; }

    /// <summary>Messages sent.</summary>
    public double Sent { get; init; }

    /// <summary>Messages delivered.</summary>
    public double Received { get; init; }

    /// <summary>Packets found missing.</summary>
    public double Missed { get; init; }

    /// <summary>Missing packets that neighbours repaired.</summary>
    public double RepairsFromPeers { get; init; }

    /// <summary>Missing packets that senders repaired.</summary>
    public double RepairsFromSenders { get; init; }

    /// <summary>Longest token round trip of a node, in milliseconds.</summary>
    public double TokenMs { get; init; }

    /// <summary>Loop use of the busiest node, from 0 to 1.</summary>
    public double LoopMax { get; init; }

    /// <summary>Loop use of the average node.</summary>
    public double LoopMean { get; init; }
}
