namespace QuickSilver.Dashboard.Json;

/// <summary>Tells a browser why there are no figures.</summary>
/// <param name="Text">The reason.</param>
internal sealed record Trouble(string Text);
