namespace QuickSilver.WideArea;

/// <summary>The members of a group at one site, as <see cref="SiteView"/> tells them. Nodes beside gateways do not
/// count. Immutable.</summary>
/// <param name="Group">Name of the group.</param>
/// <param name="Site">Name of the site.</param>
/// <param name="IsReached">True while the site can be reached.</param>
/// <param name="Receives">True while what members here send goes to that site. For a while after its last member has
/// left it still does.</param>
/// <param name="Count">How many members there are.</param>
/// <param name="Names">Names of at most 64 of them.</param>
public sealed record SiteMembers(
    string Group, string Site, bool IsReached, bool Receives, int Count, IReadOnlyList<string> Names);
