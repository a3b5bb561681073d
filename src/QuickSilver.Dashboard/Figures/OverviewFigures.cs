using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>The cluster in a dozen figures.</summary>
internal static class OverviewFigures
{
    /// <summary>Adds up what the nodes say. Their counters may be anything, so sums are not whole numbers.</summary>
    public static Overview Of(ClusterSnapshot snapshot, NodeFigures[] nodes, int groups, int regions)
    {
        double Sum(Func<NodeRow, double> of) => nodes.Sum(node => Clean.Of(of(node.Row)));
        double Most(Func<NodeRow, double> of) => nodes.Length == 0 ? 0 : nodes.Max(node => of(node.Row));
        var point = new ClusterPoint
        {
            Time = snapshot.Time.ToUnixTimeMilliseconds() / 1000.0,
            Sent = Sum(static row => row.Sent),
            Received = Sum(static row => row.Received),
            Missed = Sum(static row => row.Missed),
            RepairsFromPeers = Sum(static row => row.RepairsFromPeers),
            RepairsFromSenders = Sum(static row => row.RepairsFromSenders),
            TokenMs = Most(static row => row.TokenMs),
            LoopMax = Most(static row => row.Loop),
            LoopMean = nodes.Length == 0 ? 0 : Sum(static row => row.Loop) / nodes.Length,
        };
        return new Overview
        {
            Cluster = snapshot.Cluster,
            Time = snapshot.Time,
            Nodes = nodes.Length,
            Silent = nodes.Count(static node => node.Row.Silent),
            Groups = groups,
            MostGroups = (int)Most(static row => row.Groups),
            Regions = regions,
            Rejected = snapshot.SnapshotsRejected,
            Sent = point.Sent,
            Received = point.Received,
            BytesSent = nodes.Sum(static node => node.Row.Silent ? 0 : Clean.Of(node.Report.Rates.BytesSent)),
            BytesReceived = Sum(static row => row.BytesReceived),
            Missed = point.Missed,
            RepairsFromPeers = point.RepairsFromPeers,
            RepairsFromSenders = point.RepairsFromSenders,
            Lost = Sum(static row => row.Lost),
            TokenMs = point.TokenMs,
            LoopMax = point.LoopMax,
            PendingBytes = Sum(static row => row.PendingBytes),
            InboxBytes = Sum(static row => row.InboxBytes),
            Point = point,
        };
    }
}
