namespace QuickSilver.Dashboard.Json;

/// <summary>The cluster without its tables.</summary>
/// <param name="Overview">The cluster.</param>
/// <param name="Slow">Who is slow.</param>
/// <param name="Repairs">Who loses packets.</param>
/// <param name="Views">The last changes of views.</param>
internal sealed record ClusterView(
    Overview Overview, IReadOnlyList<SlowRow> Slow, IReadOnlyList<RepairRow> Repairs, IReadOnlyList<ViewRow> Views);
