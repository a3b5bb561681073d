namespace QuickSilver.Protocol.Sites.Links;

/// <summary>Who speaks at this end of a link, and who must at the other.</summary>
/// <param name="Configuration">Hash of the sites and links, equal at both ends.</param>
/// <param name="Site">Index of this end's site.</param>
/// <param name="Node">Key of this gateway's node.</param>
/// <param name="PeerSite">Index of the other end's site.</param>
internal sealed record LinkIdentity(ulong Configuration, int Site, ulong Node, int PeerSite);
