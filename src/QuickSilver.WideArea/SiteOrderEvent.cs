namespace QuickSilver.WideArea;

/// <summary>What a <see cref="SiteOrder"/> delivers: the same, in the same order, to all its members at all sites.
/// Immutable.</summary>
/// <param name="Place">Place in the order: rising, not by one, and equal at all members of all sites.</param>
/// <param name="Site">Name of the site that it comes from.</param>
public abstract record SiteOrderEvent(ulong Place, string Site);
