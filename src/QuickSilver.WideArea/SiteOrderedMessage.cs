namespace QuickSilver.WideArea;

/// <summary>A message at its place in the order of all sites. Immutable, and valid as long as the application keeps it.
/// </summary>
/// <param name="Place">Place in the order: rising, not by one, and equal at all members of all sites.</param>
/// <param name="Origin">Site and node that sent it.</param>
/// <param name="Group">Name of the group that it was sent to.</param>
/// <param name="Payload">The bytes.</param>
public sealed record SiteOrderedMessage(ulong Place, SiteOrigin Origin, string Group, ReadOnlyMemory<byte> Payload)
    : SiteOrderEvent(Place, Origin.Site);
