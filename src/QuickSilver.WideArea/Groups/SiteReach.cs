using QuickSilver.Protocol.Sites;

namespace QuickSilver.WideArea.Groups;

/// <summary>What the loop knows of all sites. Immutable.</summary>
/// <param name="Reached">Sites that can be reached, the own one included.</param>
/// <param name="Nodes">Number of the life of each site's gateway; 0: not heard of.</param>
internal sealed record SiteReach(SiteSet Reached, ulong[] Nodes)
{
    /// <summary>True when both say the same.</summary>
    public bool IsLike(SiteReach other) => Reached == other.Reached && Nodes.AsSpan().SequenceEqual(other.Nodes);
}
