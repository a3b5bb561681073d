using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>The last snapshots of a node, for what changes between them.</summary>
internal sealed class NodeHistory
{
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(10);

    private readonly Queue<NodeStatistics> _window = [];
    private readonly Dictionary<(string Name, bool IsPublisher), GroupStatistics> _groups = [];
    private NodeSnapshot? _last;

    /// <summary>The busiest groups of the node at its last snapshot, one row for each name.</summary>
    public IReadOnlyList<GroupRow> Groups { get; private set; } = [];

    /// <summary>Takes a snapshot; nothing if it is the last one once more.</summary>
    public void Take(NodeSnapshot snapshot)
    {
        if (ReferenceEquals(snapshot, _last)) return;
        double seconds = _last is null ? 0 : (snapshot.Statistics.Uptime - _last.Statistics.Uptime).TotalSeconds;
        Groups = [.. snapshot.Groups.GroupBy(static group => group.Name, StringComparer.Ordinal)
            .Select(same => Merge(same, seconds))];
        _groups.Clear();
        foreach (GroupStatistics group in snapshot.Groups) _groups[(group.Name, group.IsPublisher)] = group;
        _window.Enqueue(snapshot.Statistics);
        while (snapshot.Statistics.Uptime - _window.Peek().Uptime > Window) _window.Dequeue();
        _last = snapshot;
    }

    /// <summary>What the node lost and had repaired within the last ten seconds.</summary>
    public RepairRow Repairs(NodeSnapshot snapshot)
    {
        NodeStatistics then = _window.Peek();
        NodeStatistics now = snapshot.Statistics;
        return new RepairRow(
            snapshot.Member.Id.ToString(),
            snapshot.Member.Name,
            Clean.Of((double)now.RepairsFromPeers - then.RepairsFromPeers),
            Clean.Of((double)now.RepairsFromSenders - then.RepairsFromSenders),
            Clean.Of((double)now.PacketsMissed - then.PacketsMissed),
            Clean.Of((double)now.SocketDrops - then.SocketDrops),
            Clean.Of((double)now.RepairsGiven - then.RepairsGiven));
    }

    // A group that the node is in and publishes to has two records: what both count is added up.
    private GroupRow Merge(IEnumerable<GroupStatistics> same, double seconds)
    {
        GroupRow? row = null;
        foreach (GroupStatistics group in same)
        {
            GroupStatistics? before = seconds > 0 ? _groups.GetValueOrDefault((group.Name, group.IsPublisher)) : null;
            double Rate(Func<GroupStatistics, long> of) =>
                before is null ? 0 : Clean.Of(((double)of(group) - of(before)) / seconds);
            row ??= new GroupRow { Name = group.Name, Mode = group.Mode };
            row = row with
            {
                Members = Math.Max(row.Members, group.Members),
                Regions = Math.Max(row.Regions, group.Regions),
                Sent = row.Sent + Rate(static figures => figures.MessagesSent),
                Received = row.Received + Rate(static figures => figures.MessagesReceived),
                BytesReceived = row.BytesReceived + Rate(static figures => figures.BytesReceived),
                PendingBytes = row.PendingBytes + Clean.Of(group.PendingBytes),
                InboxBytes = row.InboxBytes + Clean.Of(group.InboxBytes),
                Lost = row.Lost + Clean.Of(group.MessagesLost),
                Dropped = row.Dropped + Clean.Of(group.MessagesDropped),
            };
        }
        return row!;
    }
}
