namespace QuickSilver.WideArea;

/// <summary>Other sites take part in the order from this place on, as the members of this site see it: sites were left
/// out, are back, or have begun again after all their members were gone. What was left of the order before was
/// delivered first. Immutable.</summary>
/// <param name="Place">Place in the order: rising, and equal at all members of <paramref name="Sites"/>.</param>
/// <param name="Site">Name of the own site.</param>
/// <param name="Sites">Names of the sites that take part, the own one included.</param>
/// <param name="Out">Names of the sites that do not.</param>
/// <param name="Together">Those of <paramref name="Sites"/> that have delivered the same as this one since the last
/// change, the own one included. The others delivered other messages, or none.</param>
/// <param name="IsBehind">True when other sites have delivered what this one never gets: take the state from a member
/// of theirs, as of a later place. With <see cref="SiteCutPolicy.GoOn"/> this may be true at both sides.</param>
public sealed record SitesChanged(
    ulong Place, string Site, IReadOnlyList<string> Sites, IReadOnlyList<string> Out, IReadOnlyList<string> Together,
    bool IsBehind)
    : SiteOrderEvent(Place, Site);
