using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The cluster as this node knows it after the last installed step: nodes, the groups it is in, their regions and
/// current region views. Written by the agent, read by all others. Core thread only.
/// </summary>
public abstract class ClusterView
{
    /// <summary>
    /// The last installed step. None before the first, and again when a node that was in no group must register again.
    /// </summary>
    public abstract StepNumber Installed { get; }

    /// <summary>
    /// This node's record. Null before registration, and again while a node that was in no group must register again.
    /// </summary>
    public abstract NodeInfo? Self { get; }

    /// <summary>This node's own region view; null while it is in no group.</summary>
    public abstract RegionView? Own { get; }

    /// <summary>
    /// All current region views that span a group of this node, in order of region id. Valid until the next step.
    /// </summary>
    public abstract IEnumerable<RegionView> Views { get; }

    /// <summary>
    /// A node by <see cref="NodeNumber.Key"/>, or null when unknown. Includes removed nodes as long as views name them.
    /// O(1).
    /// </summary>
    public abstract NodeInfo? FindNode(ulong key);

    /// <summary>A group by id; null when this node is not in it. O(1).</summary>
    public abstract GroupInfo? FindGroup(GroupId id);

    /// <summary>
    /// The current region views that span a group this node is in, own region included, in order of region id. Derived
    /// at the first call after a step, O(regions).
    /// </summary>
    public abstract IReadOnlyList<RegionView> ViewsOf(GroupId group);

    /// <summary>The step that last changed the group's member set: the number of its group view. O(1).</summary>
    public abstract StepNumber GroupViewOf(GroupId group);
}
