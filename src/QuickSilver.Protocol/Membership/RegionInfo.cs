using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A region: a set of groups, which never changes under one id. Its nodes are in all of them, or, if the region is
/// merged, in some of them each.
/// </summary>
/// <param name="id">The region's number.</param>
/// <param name="groups">The groups, sorted by id: a message names its group by the index in this list.</param>
internal sealed class RegionInfo(RegionId id, GroupSet groups)
{
    /// <summary>The region's number.</summary>
    public RegionId Id { get; } = id;

    /// <summary>The groups, sorted by id.</summary>
    public GroupSet Groups { get; } = groups;

    /// <summary>Index of a group in <see cref="Groups"/>, or negative. O(log n).</summary>
    public int IndexOf(GroupId group) => Groups.IndexOf(group);

    /// <summary>True when the group is one of the region's. O(log n).</summary>
    public bool Contains(GroupId group) => IndexOf(group) >= 0;
}
