namespace QuickSilver.Dashboard.Json;

/// <summary>One node in detail.</summary>
/// <param name="Row">Its row in the table.</param>
/// <param name="Figures">More figures.</param>
/// <param name="Regions">The regions that it is in or sends to.</param>
/// <param name="Groups">Its busiest groups.</param>
internal sealed record NodeView(
    NodeRow Row, IReadOnlyList<Figure> Figures, IReadOnlyList<RegionRow> Regions, IReadOnlyList<GroupRow> Groups);
