using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The cluster as this node knows it after the last installed step: nodes, the groups it is in or publishes to, their
/// regions and current region views. Written by the agent, read by all others. Core thread only.
/// </summary>
internal abstract class ClusterView
{
    /// <summary>
    /// The last installed step. None before the first, and again when a node that was in no group must register again.
    /// </summary>
    public abstract StepNumber Installed { get; }

    /// <summary>
    /// This node's record. Null before registration, and again while a node that was in no group must register again.
    /// </summary>
    public abstract NodeInfo? Self { get; }

    /// <summary>The groups of this node and their region views, as installed.</summary>
    public abstract GroupLayout Layout { get; }

    /// <summary>This node's own region view; null while it is in no group.</summary>
    public RegionView? Own => Layout.Own;

    /// <summary>All current region views that span a group of this node, in order of region id.</summary>
    public IReadOnlyList<RegionView> Views => Layout.Views;

    /// <summary>
    /// A node by <see cref="NodeNumber.Key"/>, or null when unknown. Includes removed nodes as long as views name them.
    /// O(1).
    /// </summary>
    public abstract NodeInfo? FindNode(ulong key);

    /// <inheritdoc cref="GroupLayout.Find"/>
    public GroupInfo? FindGroup(GroupId id) => Layout.Find(id);

    /// <inheritdoc cref="GroupLayout.ViewsOf"/>
    public IReadOnlyList<RegionView> ViewsOf(GroupId group) => Layout.ViewsOf(group);

    /// <inheritdoc cref="GroupLayout.NumberOf"/>
    public StepNumber GroupViewOf(GroupId group) => Layout.NumberOf(group);
}
