using QuickSilver.Protocol.Core;

namespace QuickSilver.Monitoring;

/// <summary>What a monitor knows of one node.</summary>
/// <param name="first">The node's first snapshot.</param>
/// <param name="arrived">When that arrived.</param>
internal sealed class ClusterRow(NodeSnapshot first, Instant arrived)
{
    private static readonly TimeSpan SilentAfter = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan ShortestSpan = TimeSpan.FromMilliseconds(100);

    // Nodes publish once a second, and what a pause of the network held back comes at once. A node that is faster by
    // far is not read.
    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Allowance = TimeSpan.FromSeconds(1);

    private Instant _due = arrived - Allowance + ShortestPause;
    private NodeSnapshot _snapshot = first;
    private NodeRates _rates = new();
    private Instant _arrived = arrived;

    /// <summary>True if a further snapshot is read now; counts it. False for a node that publishes too often.</summary>
    public bool MayTell(Instant now)
    {
        Instant earliest = now - Allowance;
        if (_due < earliest) _due = earliest;
        if (_due > now) return false;
        _due += ShortestPause;
        return true;
    }

    /// <summary>Takes another snapshot, which is later.</summary>
    public void Take(NodeSnapshot snapshot, Instant now)
    {
        // Other nodes' clocks may be anything, so the time between is that of the node's own uptime, which only grows.
        TimeSpan span = snapshot.Statistics.Uptime - _snapshot.Statistics.Uptime;
        if (span < TimeSpan.Zero) _rates = new NodeRates();
        else if (span >= ShortestSpan) _rates = Rate(_snapshot.Statistics, snapshot.Statistics, span.TotalSeconds);
        _snapshot = snapshot;
        _arrived = now;
    }

    /// <summary>The row as it is shown.</summary>
    public NodeReport Report(Instant now)
    {
        TimeSpan age = now - _arrived;
        return new NodeReport { Snapshot = _snapshot, Rates = _rates, Age = age, IsSilent = age > SilentAfter };
    }

    private static NodeRates Rate(NodeStatistics before, NodeStatistics after, double seconds) => new()
    {
        MessagesSent = PerSecond(before.MessagesSent, after.MessagesSent, seconds),
        MessagesReceived = PerSecond(before.MessagesReceived, after.MessagesReceived, seconds),
        BytesSent = PerSecond(before.BytesSent, after.BytesSent, seconds),
        BytesReceived = PerSecond(before.BytesReceived, after.BytesReceived, seconds),
        PacketsMissed = PerSecond(before.PacketsMissed, after.PacketsMissed, seconds),
        RepairsFromPeers = PerSecond(before.RepairsFromPeers, after.RepairsFromPeers, seconds),
        RepairsFromSenders = PerSecond(before.RepairsFromSenders, after.RepairsFromSenders, seconds),
        RepairsGiven = PerSecond(before.RepairsGiven, after.RepairsGiven, seconds),
        DatagramsSent = PerSecond(before.DatagramsSent, after.DatagramsSent, seconds),
        MessagesLost = PerSecond(before.MessagesLost, after.MessagesLost, seconds),
    };

    private static double PerSecond(long before, long after, double seconds) =>
        Math.Max(0, ((double)after - before) / seconds);
}
