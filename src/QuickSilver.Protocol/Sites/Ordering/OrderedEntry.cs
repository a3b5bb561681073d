namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>A message at its place in the order of all sites. Immutable.</summary>
/// <param name="Site">Index of the site that it comes from.</param>
/// <param name="Incarnation">The life of that site's order.</param>
/// <param name="Number">Its number there, from 1.</param>
/// <param name="Stamp">Its Lamport stamp. Entries are ordered by stamp, then by site.</param>
/// <param name="Content">The message; null for the first entry of an incarnation, which says that the site begins.
/// </param>
internal sealed record OrderedEntry(int Site, ulong Incarnation, ulong Number, ulong Stamp, OrderedContent? Content)
{
    /// <summary>Its place: equal at all sites, and rising in the order.</summary>
    public OrderPlace Place => new(Stamp, Site);

    /// <summary>Bytes that it counts as, while it is kept.</summary>
    public int Cost => 64 + (Content?.Body.Length ?? 0);
}
