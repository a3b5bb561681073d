using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>A region: the set of groups that all of its nodes are in. The set never changes under one id.</summary>
/// <param name="id">The region's number.</param>
/// <param name="groups">The groups, sorted by id: a message names its group by the index in this list.</param>
public sealed class RegionInfo(RegionId id, GroupSet groups)
{
    /// <summary>The region's number.</summary>
    public RegionId Id { get; } = id;

    /// <summary>The groups, sorted by id.</summary>
    public GroupSet Groups { get; } = groups;

    /// <summary>Index of a group in <see cref="Groups"/>, or negative. O(log n).</summary>
    public int IndexOf(GroupId group) => Groups.IndexOf(group);

    /// <summary>True when the region's nodes are in the group. O(log n).</summary>
    public bool Contains(GroupId group) => IndexOf(group) >= 0;
}
