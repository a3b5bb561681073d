namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>A link that both ends say is up.</summary>
/// <param name="First">The site with the lower index.</param>
/// <param name="Second">The other.</param>
/// <param name="Cost">The greater of what both ends say; at least 1.</param>
internal readonly record struct OverlayEdge(int First, int Second, uint Cost);
