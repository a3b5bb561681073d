namespace QuickSilver;

/// <summary>An evicted node has rejoined the cluster as a new incarnation. The application must join its groups
/// again.</summary>
/// <param name="Before">The id before the eviction.</param>
/// <param name="After">The id from now on.</param>
public sealed record NodeRejoined(MemberId Before, MemberId After) : NodeEvent;
