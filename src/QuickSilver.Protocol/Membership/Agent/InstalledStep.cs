using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The changes of one step, as far as they concern this node. Passed to the stack when the step is installed; lists are
/// in a deterministic order.
/// </summary>
internal sealed class InstalledStep
{
    /// <summary>The number of the step.</summary>
    public required StepNumber Number { get; init; }

    /// <summary>
    /// Region views that begin with this step, or that this node learns of because it joined a group they span; those
    /// may have begun earlier. A view may return that was reported as superseded when it did not concern this node, and
    /// has not retired. It is the same object, in which this node's stream continues.
    /// </summary>
    public required IReadOnlyList<RegionView> Opened { get; init; }

    /// <summary>The keys of the opened views, in their order; none in a cluster that is not secured.</summary>
    internal IReadOnlyList<ViewSecret> Secrets { get; set; } = [];

    /// <summary>
    /// Region views known to this node that are no longer current. They are replaced, their region has no members left,
    /// or they no longer concern this node.
    /// </summary>
    public required IReadOnlyList<RegionView> Superseded { get; init; }

    /// <summary>This node's groups and their region views after the step.</summary>
    public required GroupLayout Layout { get; init; }

    /// <summary>This node's own region view after the step; null while it is in no group.</summary>
    public RegionView? Own => Layout.Own;

    /// <summary>Groups that this node joined with this step: a session begins.</summary>
    public required IReadOnlyList<GroupInfo> Joined { get; init; }

    /// <summary>Groups that this node left with this step: a session ends.</summary>
    public required IReadOnlyList<GroupInfo> Left { get; init; }

    /// <summary>Groups that this node publishes to from this step on.</summary>
    public IReadOnlyList<GroupInfo> Published { get; init; } = [];

    /// <summary>Groups that this node ceases to publish to with this step.</summary>
    public IReadOnlyList<GroupInfo> Ceased { get; init; } = [];

    /// <summary>
    /// Groups of this node, including those just joined, whose member set this step changed. Their group view number is
    /// this step. Found when asked for, O(groups).
    /// </summary>
    public IReadOnlyList<GroupInfo> Changed => Layout.Step == Number ? Layout.FindChanged() : [];

    /// <summary>Nodes removed from the cluster with this step or announced since the one before.</summary>
    public required IReadOnlyList<NodeInfo> Removed { get; init; }
}
