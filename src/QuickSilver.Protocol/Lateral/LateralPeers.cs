using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The region view of each other node, and so its groups, among the views that span a group of this node. What is sent
/// to a node names its view, whose keys it has; and a node may repair only in groups that it is in. O(views) the first
/// time in a step, O(1) then. Core thread only.
/// </summary>
/// <param name="cluster">The cluster as installed here.</param>
internal sealed class LateralPeers(ClusterView cluster)
{
    private readonly Dictionary<ulong, Place> _places = [];

    /// <summary>A step is installed: views have changed.</summary>
    public void Forget() => _places.Clear();

    /// <summary>A node's region view; null when none of them has it.</summary>
    public RegionView? ViewOf(ulong node) => Find(node).View;

    /// <summary>True for a node that is in a group that this node is in or sends to.</summary>
    /// <param name="node">The node's key.</param>
    /// <param name="group">Counter of the group's id.</param>
    public bool IsInGroup(ulong node, uint group)
    {
        Place place = Find(node);
        return place.View is { } view && view.GroupsOf(place.Index).Counters.BinarySearch(group) >= 0;
    }

    private Place Find(ulong node)
    {
        if (_places.TryGetValue(node, out Place known)) return known;
        // By index: an enumerator of the interface would be allocated.
        for (int at = 0; at < cluster.Views.Count; at++)
        {
            int index = cluster.Views[at].IndexOf(node);
            if (index >= 0) return _places[node] = new Place(cluster.Views[at], index);
        }
        // Nothing is kept of nodes without a place.
        return default;
    }

    private readonly record struct Place(RegionView? View, int Index);
}
