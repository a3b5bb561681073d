using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A numbered, ordered list of a region's members, with the partitions, ring order and transport that follow from it.
/// Immutable, equal at all nodes (invariant V3 in docs/testing.md).
/// </summary>
internal sealed class RegionView
{
    private readonly Dictionary<ulong, int> _indexByKey;
    private readonly GroupSet[]? _memberGroups;

    /// <summary>Makes a view; keeps the arrays, which must not change afterwards.</summary>
    /// <param name="number">The view's number.</param>
    /// <param name="region">The region of which this is a view.</param>
    /// <param name="firstStep">The step with which it begins.</param>
    /// <param name="members">The members in ring order.</param>
    /// <param name="multicast">The multicast address; none: unicast.</param>
    /// <param name="replication">Minimum number of members that cache a packet.</param>
    /// <param name="memberGroups">The groups of each member; null: all of the region's.</param>
    public RegionView(
        ViewNumber number,
        RegionInfo region,
        StepNumber firstStep,
        NodeInfo[] members,
        NetEndpoint multicast,
        int replication,
        GroupSet[]? memberGroups = null)
    {
        _memberGroups = memberGroups;
        Number = number;
        Region = region;
        FirstStep = firstStep;
        Members = members;
        Multicast = multicast;
        Partitions = new PartitionMap(members.Length, replication);
        _indexByKey = new Dictionary<ulong, int>(members.Length);
        for (int index = 0; index < members.Length; index++) _indexByKey.Add(members[index].Number.Key, index);
    }

    /// <summary>The view's number.</summary>
    public ViewNumber Number { get; }

    /// <summary>The region of which this is a view.</summary>
    public RegionInfo Region { get; }

    /// <summary>The version of the protocol that its datagrams have: all members and senders read it.</summary>
    public byte Version { get; init; } = ProtocolVersions.OldestSpoken;

    /// <summary>The step with which the view begins.</summary>
    public StepNumber FirstStep { get; }

    /// <summary>The members in ring order. The lowest that is not removed leads.</summary>
    public NodeInfo[] Members { get; }

    /// <summary>
    /// True when members are in some of the region's groups each. They hold and pass on packets of all, and filter what
    /// is not for them.
    /// </summary>
    public bool IsMerged => _memberGroups is not null;

    /// <summary>The multicast address; none: carried by unicast, one copy per member.</summary>
    public NetEndpoint Multicast { get; }

    /// <summary>The partitions that cache its packets.</summary>
    public PartitionMap Partitions { get; }

    /// <summary>Index of a member by <see cref="NodeNumber.Key"/>, or -1. O(1).</summary>
    public int IndexOf(ulong nodeKey) => _indexByKey.TryGetValue(nodeKey, out int index) ? index : -1;

    /// <summary>The groups of a member, by its index. O(1).</summary>
    public GroupSet GroupsOf(int member) => _memberGroups is null ? Region.Groups : _memberGroups[member];

    /// <summary>True when a member, by its index, is in a group. O(log groups).</summary>
    public bool IsMember(int member, GroupId group) => GroupsOf(member).IndexOf(group) >= 0;

    /// <summary>Members that are in a group. O(log groups), for each member if the region is merged.</summary>
    public int CountMembers(GroupId group)
    {
        if (_memberGroups is null) return Region.Contains(group) ? Members.Length : 0;
        int count = 0;
        foreach (GroupSet groups in _memberGroups)
        {
            if (groups.IndexOf(group) >= 0) count++;
        }
        return count;
    }

    /// <summary>The members that are in a group, in ring order. Allocates if the region is merged.</summary>
    public IReadOnlyList<NodeInfo> MembersOf(GroupId group)
    {
        if (!IsMerged) return Region.Contains(group) ? Members : [];
        var members = new List<NodeInfo>(Members.Length);
        for (int index = 0; index < Members.Length; index++)
        {
            if (IsMember(index, group)) members.Add(Members[index]);
        }
        return members;
    }

    /// <inheritdoc/>
    public override string ToString() => $"region {Region.Id} view {Number} ({Members.Length} members)";
}
