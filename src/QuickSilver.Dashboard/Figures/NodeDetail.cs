using System.Globalization;
using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>One node in detail.</summary>
internal static class NodeDetail
{
    /// <summary>Puts together all that the page shows of a node.</summary>
    public static NodeView Of(NodeFigures node)
    {
        NodeSnapshot snapshot = node.Report.Snapshot;
        return new NodeView(
            node.Row,
            FiguresOf(snapshot),
            [.. snapshot.Regions.Take(Paging.Rows).Select(RegionTable.RowOf)],
            [.. node.Groups.OrderByDescending(static row => row.BytesReceived + row.Sent).Take(Paging.Rows)]);
    }

    private static List<Figure> FiguresOf(NodeSnapshot snapshot)
    {
        NodeStatistics statistics = snapshot.Statistics;
        var figures = new List<Figure>
        {
            new("Id", snapshot.Member.Id.ToString()),
            new("Version", snapshot.Version),
            new("State", statistics.State.ToString()),
            new("Runs for", Time(statistics.Uptime)),
            new(
                "Security",
                statistics.Cipher is { } cipher ? $"{statistics.Security}, {cipher}" : statistics.Security.ToString()),
            new("Groups, publishers, regions", $"{statistics.Groups}, {statistics.Publishers}, {statistics.Regions}"),
            new("View changes", Count(statistics.ViewChanges)),
            new("Messages sent", Count(statistics.MessagesSent)),
            new("Messages delivered, read", $"{Count(statistics.MessagesReceived)}, {Count(statistics.MessagesRead)}"),
            new("Messages lost, dropped", $"{Count(statistics.MessagesLost)}, {Count(statistics.MessagesDropped)}"),
            new("Packets missed", Count(statistics.PacketsMissed)),
            new(
                "Repairs from neighbours, senders",
                $"{Count(statistics.RepairsFromPeers)}, {Count(statistics.RepairsFromSenders)}"),
            new("Repairs wasted, given", $"{Count(statistics.RepairsWasted)}, {Count(statistics.RepairsGiven)}"),
            new("Datagrams dropped by the kernel", Count(statistics.SocketDrops)),
            new("Datagrams rejected", Count(statistics.PacketsRejected)),
            new("Narrow ways, members by unicast", $"{statistics.NarrowPaths}, {statistics.UnicastMembers}"),
            new("Times held up by limits", Count(statistics.BackpressureEpisodes)),
            new("Suspicions", Count(statistics.Suspicions)),
            new("Stalls, longest turn", $"{Count(statistics.Stalls)}, {Time(statistics.LongestTurn)}"),
            new("Errors of handlers", Count(statistics.HandlerErrors)),
            new("Slow readers", Count(statistics.SlowConsumers)),
        };
        if (snapshot.Member.Identity.Length > 0) figures.Insert(1, new Figure("Identity", snapshot.Member.Identity));
        figures.AddRange(snapshot.Inboxes.Take(Paging.Names).Select(static inbox =>
            new Figure($"Unread of {inbox.Group}", $"{Count(inbox.Messages)} messages, {Count(inbox.Bytes)} bytes")));
        return figures;
    }

    private static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Time(TimeSpan time) => time < TimeSpan.FromSeconds(1)
        ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0.#} ms")
        : time.ToString(@"d\.hh\:mm\:ss", CultureInfo.InvariantCulture);
}
