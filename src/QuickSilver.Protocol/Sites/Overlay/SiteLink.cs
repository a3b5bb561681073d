namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>A link of the configuration.</summary>
/// <param name="First">Name of a site.</param>
/// <param name="Second">Name of the site at the other end.</param>
/// <param name="Cost">What it costs to take it, in microseconds; 0: half of its measured round trip.</param>
/// <param name="IsStream">True when a connection carries it (<see cref="Links.LinkSettings.IsStream"/>).</param>
internal readonly record struct SiteLink(string First, string Second, uint Cost = 0, bool IsStream = false);
