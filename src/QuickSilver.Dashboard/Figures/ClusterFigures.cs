using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>The cluster at one tick, ranked and paged as it is asked for. Any thread.</summary>
internal sealed class ClusterFigures
{
    private readonly NodeFigures[] _nodes;
    private readonly Dictionary<string, NodeFigures> _byId;
    private readonly RankedRows<NodeRow> _nodeRows;
    private readonly RankedRows<GroupRow> _groupRows;
    private readonly RegionTable _regions;

    /// <summary>Puts the tick together.</summary>
    public ClusterFigures(ClusterSnapshot snapshot, NodeFigures[] nodes, IReadOnlyList<ClusterPoint> earlier)
    {
        _nodes = nodes;
        _byId = nodes.ToDictionary(static node => node.Row.Id, StringComparer.Ordinal);
        _nodeRows = new RankedRows<NodeRow>([.. nodes.Select(static node => node.Row)], NodeOrders.All);
        _groupRows = new RankedRows<GroupRow>(GroupTable.Of(nodes), GroupOrders.All);
        _regions = new RegionTable(nodes);
        Slow = [.. snapshot.Slowest.Take(Paging.Slow).Select(SlowOf)];
        Repairs = [.. nodes.Select(static node => node.Repairs)
            .Where(static row => row.FromPeers + row.FromSenders > 0)
            .OrderByDescending(static row => row.FromPeers + row.FromSenders)
            .Take(Paging.Repairs)];
        Views = ViewsOf(nodes);
        Overview = OverviewFigures.Of(snapshot, nodes, _groupRows.Count, _regions.Count);
        History = [.. earlier, Overview.Point];
    }

    /// <summary>The cluster in a dozen figures.</summary>
    public Overview Overview { get; }

    /// <summary>Who is slow, by the cluster's own order.</summary>
    public IReadOnlyList<SlowRow> Slow { get; }

    /// <summary>Who had most packets repaired lately.</summary>
    public IReadOnlyList<RepairRow> Repairs { get; }

    /// <summary>Changes of views, newest first.</summary>
    public IReadOnlyList<ViewRow> Views { get; }

    /// <summary>The last minutes, oldest first.</summary>
    public IReadOnlyList<ClusterPoint> History { get; }

    /// <summary>A page of nodes.</summary>
    public Page<NodeRow> NodesOf(int page, string sort) => _nodeRows.PageOf(page, sort);

    /// <summary>A page of groups.</summary>
    public Page<GroupRow> GroupsOf(int page, string sort) => _groupRows.PageOf(page, sort);

    /// <summary>A page of regions beside a page of nodes.</summary>
    public RegionMatrix RegionsOf(int page, IEnumerable<NodeRow> nodes) =>
        _regions.PageOf(page, nodes.Select(row => _byId[row.Id]));

    /// <summary>One node in detail; null if there is none.</summary>
    public NodeView? FindNode(string id) =>
        _byId.TryGetValue(id, out NodeFigures? node) ? NodeDetail.Of(node) : null;

    /// <summary>One group in detail; null if no node reports it.</summary>
    public GroupReport? FindGroup(string name) => GroupTable.Find(_nodes, name);

    private static SlowRow SlowOf(MemberLag lag) => new(
        lag.Member.Id.ToString(), lag.Member.Name, lag.Reason, lag.Packets, Clean.Of(lag.Duration.TotalSeconds),
        lag.HoldsUp, [.. lag.Groups.Take(Paging.Names)], [.. lag.Regions.Take(Paging.Names)]);

    // Many nodes see the same change. The one that has most groups in it tells of it.
    private static ViewRow[] ViewsOf(NodeFigures[] nodes) => [.. nodes
        .SelectMany(static node => node.Report.Snapshot.Views.Select(view => (node.Row.Name, View: view)))
        .GroupBy(static seen => seen.View.Number)
        .OrderByDescending(static same => same.Key)
        .Take(Paging.Views)
        .Select(static same => same.MaxBy(
            static seen => (seen.View.Joined.Count + seen.View.Left.Count, seen.View.GroupCount)))
        .Select(static seen => new ViewRow(
            seen.View.Number, seen.View.Time, seen.Name, seen.View.GroupCount,
            [.. seen.View.Joined.Take(Paging.Names)], [.. seen.View.Left.Take(Paging.Names)]))];
}
