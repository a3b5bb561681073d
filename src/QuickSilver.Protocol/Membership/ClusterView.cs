using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The cluster as this node knows it after the step installed last: nodes, groups it is in, regions that matter to them, current region views.
/// Written by the agent, read by everyone else. Core thread only.
/// </summary>
public abstract class ClusterView
{
    /// <summary>The step installed last; none before the first, and again when a node that was in no group is to register anew.</summary>
    public abstract StepNumber Installed { get; }

    /// <summary>This node's record; null before registration, and again while a node that was in no group is to register anew.</summary>
    public abstract NodeInfo? Self { get; }

    /// <summary>This node's own region view; null while it is in no group.</summary>
    public abstract RegionView? Own { get; }

    /// <summary>All current region views that span a group of this node, in order of region id. Valid until the next step.</summary>
    public abstract IEnumerable<RegionView> Views { get; }

    /// <summary>A node by <see cref="NodeNumber.Key"/>, removed ones included for as long as views name them; null when unknown. O(1).</summary>
    public abstract NodeInfo? FindNode(ulong key);

    /// <summary>A group by id; null when this node is not in it. O(1).</summary>
    public abstract GroupInfo? FindGroup(GroupId id);

    /// <summary>
    /// The current region views that span a group this node is in, own region included, in order of region id. Derived when first asked for after a
    /// step, O(regions).
    /// </summary>
    public abstract IReadOnlyList<RegionView> ViewsOf(GroupId group);

    /// <summary>Counter of the step that last changed the group's member set: the number of its group view. O(1).</summary>
    public abstract StepNumber GroupViewOf(GroupId group);
}
