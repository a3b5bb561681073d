using System.Text.Json.Serialization;

namespace QuickSilver.Dashboard.Json;

/// <summary>A page of regions, and which nodes of a page of nodes are in them.</summary>
/// <param name="Number">Number of the page of regions.</param>
/// <param name="Pages">Number of pages of regions.</param>
/// <param name="Total">Number of regions.</param>
/// <param name="Regions">The regions, those with most members first.</param>
/// <param name="Rows">The nodes.</param>
internal sealed record RegionMatrix(
    [property: JsonPropertyName("page")] int Number,
    int Pages, int Total, IReadOnlyList<RegionRow> Regions, IReadOnlyList<MatrixRow> Rows);
