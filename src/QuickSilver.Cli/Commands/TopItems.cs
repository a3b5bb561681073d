using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>What top tells as JSON.</summary>
internal static class TopItems
{
    /// <summary>A snapshot, with nodes in their rank.</summary>
    public static PrintItem Of(ClusterSnapshot cluster) => new PrintItem("top").Add("time", cluster.Time)
        .Add("cluster", cluster.Cluster).Add("rejected", cluster.SnapshotsRejected)
        .Add("nodes", TopScreen.Rank(cluster).Select(Of).ToArray())
        .Add("slowest", cluster.Slowest.Select(Of).ToArray());

    private static PrintItem Of(NodeReport node)
    {
        NodeRates rates = node.Rates;
        NodeStatistics statistics = node.Snapshot.Statistics;
        return new PrintItem("node").Add("node", node.Snapshot.Member.Name)
            .Add("id", node.Snapshot.Member.Id.ToString()).Add("state", statistics.State.ToString())
            .Add("silent", node.IsSilent).Add("age", node.Age).Add("sentRate", rates.MessagesSent)
            .Add("receivedRate", rates.MessagesReceived).Add("bytesSentRate", rates.BytesSent)
            .Add("bytesReceivedRate", rates.BytesReceived).Add("missedRate", rates.PacketsMissed)
            .Add("repairsFromPeersRate", rates.RepairsFromPeers).Add("repairsFromSendersRate", rates.RepairsFromSenders)
            .Add("lostRate", rates.MessagesLost).Add("tokenRoundTrip", node.Snapshot.TokenRoundTrip)
            .Add("pendingBytes", statistics.PendingBytes).Add("loopUse", node.Snapshot.LoopUse)
            .Add("unread", statistics.InboxMessages)
            .Add("inboxes", node.Snapshot.Inboxes.Select(static one => new PrintItem("inbox").Add("group", one.Group)
                .Add("messages", one.Messages).Add("bytes", one.Bytes)).ToArray());
    }

    private static PrintItem Of(MemberLag lag) => new PrintItem("slow").Add("node", lag.Member.Name)
        .Add("id", lag.Member.Id.ToString()).Add("reason", lag.Reason.ToString()).Add("packets", lag.Packets)
        .Add("duration", lag.Duration).Add("holdsUp", lag.HoldsUp).Add("groups", lag.Groups);
}
