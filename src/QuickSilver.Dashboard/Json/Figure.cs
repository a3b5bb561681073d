namespace QuickSilver.Dashboard.Json;

/// <summary>A figure of a node, as text.</summary>
/// <param name="Name">What it is.</param>
/// <param name="Value">The text.</param>
internal sealed record Figure(string Name, string Value);
