namespace QuickSilver.Dashboard.Json;

/// <summary>One group in detail.</summary>
/// <param name="Row">Its row in the table.</param>
/// <param name="Rows">What the nodes that report it say, the busiest first; a page at most.</param>
internal sealed record GroupReport(GroupRow Row, IReadOnlyList<GroupRow> Rows);
