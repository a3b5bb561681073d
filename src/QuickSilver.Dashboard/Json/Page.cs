namespace QuickSilver.Dashboard.Json;

/// <summary>A page of a table.</summary>
/// <typeparam name="T">Type of its rows.</typeparam>
/// <param name="Number">Number of the page, from 0 on.</param>
/// <param name="Pages">Number of pages, 1 or more.</param>
/// <param name="Total">Number of rows on all pages.</param>
/// <param name="Sort">The order of the rows.</param>
/// <param name="Rows">The rows of this page.</param>
internal sealed record Page<T>(
    [property: System.Text.Json.Serialization.JsonPropertyName("page")] int Number,
    int Pages, int Total, string Sort, IReadOnlyList<T> Rows);
