using System.Globalization;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>The text of top. Nodes are ranked: silent ones, those that hold up others, those that lose most, then
/// those that carry most.</summary>
internal static class TopScreen
{
    private const int MostSlow = 8;
    private const int Frame = 4;

    /// <summary>The nodes in their rank.</summary>
    public static IReadOnlyList<NodeReport> Rank(ClusterSnapshot cluster)
    {
        HashSet<MemberId> slow =
            [.. cluster.Slowest.Where(static one => one.HoldsUp).Select(static one => one.Member.Id)];
        return
        [
            .. cluster.Nodes.OrderByDescending(static node => node.IsSilent)
                .ThenByDescending(node => slow.Contains(node.Snapshot.Member.Id))
                .ThenByDescending(static node => node.Rates.MessagesLost)
                .ThenByDescending(static node => node.Rates.RepairsFromPeers + node.Rates.RepairsFromSenders)
                .ThenByDescending(static node => node.Rates.BytesSent + node.Rates.BytesReceived),
        ];
    }

    /// <summary>The lines, which fit a terminal.</summary>
    public static IReadOnlyList<string> Lines(ClusterSnapshot cluster, int width, int height)
    {
        int slowRows = Math.Min(MostSlow, cluster.Slowest.Count);
        var lines = new List<string>
        {
            Cut(string.Create(
                CultureInfo.InvariantCulture,
                $"{cluster.Time.UtcDateTime:HH:mm:ss} {TerminalText.Escape(cluster.Cluster)}: "
                + $"{cluster.Nodes.Count} nodes, "
                + $"{Rate(cluster.Nodes.Sum(static node => node.Rates.MessagesSent))} messages/s sent, "
                + $"{Rate(cluster.Nodes.Sum(static node => node.Rates.PacketsMissed))} packets/s missed"), width),
        };
        int room = height == int.MaxValue ? height : Math.Max(3, height - Frame - (slowRows == 0 ? 0 : slowRows + 1));
        lines.AddRange(NodeTable(cluster).Lines(width, room));
        if (slowRows == 0) return lines;
        lines.Add("");
        var slow = new TextTable("SLOW MEMBER", "WHY", ">PACKETS BEHIND", ">FOR", "HOLDS UP", "GROUPS");
        foreach (MemberLag lag in cluster.Slowest.Take(slowRows))
        {
            slow.Add(
                lag.Member.Name, lag.Reason.ToString(), Rate(lag.Packets), Seconds(lag.Duration),
                lag.HoldsUp ? "yes" : "no", string.Join(", ", lag.Groups.Take(3)));
        }
        lines.AddRange(slow.Lines(width));
        return lines;
    }

    private static TextTable NodeTable(ClusterSnapshot cluster)
    {
        var table = new TextTable(
            "NODE", "STATE", ">SENT/s", ">RECV/s", ">KB/s", ">MISSED/s", ">BY PEERS", ">BY SENDERS", ">LOST/s",
            ">TOKEN ms", ">PENDING KB", ">LOOP %", ">UNREAD", "SLOW INBOX");
        foreach (NodeReport node in Rank(cluster))
        {
            NodeRates rates = node.Rates;
            NodeStatistics statistics = node.Snapshot.Statistics;
            table.Add(
                node.Snapshot.Member.Name,
                node.IsSilent ? $"silent {Seconds(node.Age)}" : statistics.State.ToString(),
                Rate(rates.MessagesSent), Rate(rates.MessagesReceived),
                Rate((rates.BytesSent + rates.BytesReceived) / 1024), Rate(rates.PacketsMissed),
                Rate(rates.RepairsFromPeers), Rate(rates.RepairsFromSenders), Rate(rates.MessagesLost),
                node.Snapshot.TokenRoundTrip is { } token
                    ? token.TotalMilliseconds.ToString("0.0", CultureInfo.InvariantCulture) : "",
                Rate(statistics.PendingBytes / 1024.0), Rate(100 * node.Snapshot.LoopUse),
                Rate(statistics.InboxMessages),
                node.Snapshot.Inboxes is [{ Messages: > 0 } inbox, ..] ? inbox.Group : "");
        }
        return table;
    }

    private static string Rate(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.0} s");

    private static string Cut(string line, int width) => line.Length <= width ? line : line[..width];
}
