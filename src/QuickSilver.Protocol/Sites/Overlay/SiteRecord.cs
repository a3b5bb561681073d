namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>The last that a site has said of its links and groups.</summary>
/// <param name="Node">Key of its gateway's node.</param>
/// <param name="Number">Rises with each that the node makes.</param>
/// <param name="Links">Links that are up there, by the site at their other end.</param>
/// <param name="HasAnyGroup">True when members of groups that are not named may be there.</param>
/// <param name="Groups">Groups with members there, ascending.</param>
/// <param name="Bytes">The record as it came, to be handed on.</param>
internal sealed record SiteRecord(
    ulong Node, ulong Number, (int Site, uint Cost)[] Links, bool HasAnyGroup, uint[] Groups, byte[] Bytes)
{
    /// <summary>True when members of a group may be there.</summary>
    public bool Wants(uint group) => HasAnyGroup || Array.BinarySearch(Groups, group) >= 0;
}
