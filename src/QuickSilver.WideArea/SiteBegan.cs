namespace QuickSilver.WideArea;

/// <summary>A site takes part in the order from this place on: for the first time, or again after all its members were
/// gone. In the second case all its earlier messages that any site has are before this place. Immutable.</summary>
/// <param name="Place">Place in the order: rising, not by one, and equal at all members of all sites.</param>
/// <param name="Site">Name of the site.</param>
public sealed record SiteBegan(ulong Place, string Site) : SiteOrderEvent(Place, Site);
