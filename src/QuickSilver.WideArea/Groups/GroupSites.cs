using QuickSilver.Protocol.Sites;

namespace QuickSilver.WideArea.Groups;

/// <summary>The other sites of one group, as the loop knows them. Immutable.</summary>
/// <param name="Members">Sites that have members, or have not said that they have none.</param>
/// <param name="Targets">Those of them that can be reached: what is sent now goes there.</param>
internal sealed record GroupSites(SiteSet Members, SiteSet Targets)
{
    /// <summary>No sites.</summary>
    public static GroupSites None { get; } = new(default, default);
}
