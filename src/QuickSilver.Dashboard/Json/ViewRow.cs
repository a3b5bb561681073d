namespace QuickSilver.Dashboard.Json;

/// <summary>A change of views, as one of the nodes that saw it tells of it.</summary>
/// <param name="Number">Number of the change.</param>
/// <param name="Time">When that node installed it.</param>
/// <param name="Node">Name of that node.</param>
/// <param name="Groups">How many of its groups changed.</param>
/// <param name="Joined">Names of nodes that came.</param>
/// <param name="Left">Names of nodes that left.</param>
internal sealed record ViewRow(
    ulong Number, DateTimeOffset Time, string Node, int Groups,
    IReadOnlyList<string> Joined, IReadOnlyList<string> Left);
