using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A numbered, ordered list of a region's members, with the partitions, ring order and transport that follow from it.
/// Immutable, equal at all nodes (invariant V3 in docs/testing.md).
/// </summary>
public sealed class RegionView
{
    private readonly Dictionary<ulong, int> _indexByKey;

    /// <summary>Makes a view.</summary>
    public RegionView(
        ViewNumber number,
        RegionInfo region,
        StepNumber firstStep,
        NodeInfo[] members,
        NetEndpoint multicast,
        int replication)
    {
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

    /// <summary>The step with which the view begins.</summary>
    public StepNumber FirstStep { get; }

    /// <summary>The members in ring order. The lowest that is not removed leads.</summary>
    public NodeInfo[] Members { get; }

    /// <summary>The multicast address; none: carried by unicast, one copy per member.</summary>
    public NetEndpoint Multicast { get; }

    /// <summary>The partitions that cache its packets.</summary>
    public PartitionMap Partitions { get; }

    /// <summary>Index of a member by <see cref="NodeNumber.Key"/>, or -1. O(1).</summary>
    public int IndexOf(ulong nodeKey) => _indexByKey.TryGetValue(nodeKey, out int index) ? index : -1;

    /// <inheritdoc/>
    public override string ToString() => $"region {Region.Id} view {Number} ({Members.Length} members)";
}
