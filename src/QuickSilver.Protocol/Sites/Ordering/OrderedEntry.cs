namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>A message at its place in the order of all sites, or a change of the sites that take part. Immutable.
/// </summary>
/// <param name="Site">Index of the site that it comes from.</param>
/// <param name="View">The view in which it was stamped.</param>
/// <param name="Number">Its number there, from 1; 0 for a change.</param>
/// <param name="Stamp">Its Lamport stamp. Entries are ordered by stamp, then by site.</param>
/// <param name="Content">The message; null for a change.</param>
internal sealed record OrderedEntry(
    int Site, OrderViewId View, ulong Number, ulong Stamp, OrderedContent? Content)
{
    /// <summary>The change; null for a message.</summary>
    public ViewChange? Change { get; init; }

    /// <summary>Its place: equal at all sites of the view, and rising in the order.</summary>
    public OrderPlace Place => new(Stamp, Site);

    /// <summary>Bytes that it counts as, while it is kept.</summary>
    public int Cost => 64 + (Content?.Body.Length ?? 0);
}
