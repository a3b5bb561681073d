namespace QuickSilver.Dashboard.Json;

/// <summary>What a browser gets at each tick: the cluster, and a page of each table.</summary>
/// <param name="Overview">The cluster.</param>
/// <param name="Slow">Who is slow.</param>
/// <param name="Repairs">Who loses packets.</param>
/// <param name="Views">The last changes of views.</param>
/// <param name="Nodes">A page of nodes.</param>
/// <param name="Matrix">The regions of these nodes.</param>
/// <param name="Groups">A page of groups.</param>
internal sealed record FrameView(
    Overview Overview, IReadOnlyList<SlowRow> Slow, IReadOnlyList<RepairRow> Repairs, IReadOnlyList<ViewRow> Views,
    Page<NodeRow> Nodes, RegionMatrix Matrix, Page<GroupRow> Groups);
