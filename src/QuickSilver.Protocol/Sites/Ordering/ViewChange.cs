namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>Other sites take part in the order from a place on. Immutable.</summary>
/// <param name="Sites">The sites that take part.</param>
/// <param name="Together">Those that have delivered the same up to this place, the own one included.</param>
/// <param name="IsBehind">True when others have delivered what the own site has not.</param>
internal sealed record ViewChange(SiteSet Sites, SiteSet Together, bool IsBehind);
