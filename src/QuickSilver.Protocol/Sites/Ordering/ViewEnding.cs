namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>How the present view of a site ends, and the proposed one begins. Immutable.</summary>
/// <param name="Limits">The last entry of each site that is delivered in it; null when no more are.</param>
/// <param name="Had">Own entries up to it were delivered by sites that went on.</param>
/// <param name="Past">How far the entries of each site were delivered by those that went on.</param>
/// <param name="Together">Sites that have delivered the same up to the next view, the own one included.</param>
/// <param name="IsBehind">True when other sites have delivered what this one has not.</param>
internal sealed record ViewEnding(
    ulong[]? Limits, ulong Had, StreamEnd[] Past, SiteSet Together, bool IsBehind);
