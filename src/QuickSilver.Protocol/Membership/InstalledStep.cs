using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// What one step changed, as far as this node is concerned. Handed to the stack when the step is installed; lists are in a deterministic order.
/// </summary>
public sealed class InstalledStep
{
    /// <summary>The step.</summary>
    public required StepNumber Number { get; init; }

    /// <summary>
    /// Region views that begin with this step, or that this node comes to know with it because it joined a group they span; those may have begun
    /// earlier. A view that was reported as superseded because it was no longer this node's concern, and has not retired, can be opened again: the
    /// same object, in which this node's stream goes on where it stopped.
    /// </summary>
    public required IReadOnlyList<RegionView> Opened { get; init; }

    /// <summary>
    /// Region views known to this node that are current no more: replaced, or their region has no members left, or no longer this node's concern.
    /// </summary>
    public required IReadOnlyList<RegionView> Superseded { get; init; }

    /// <summary>This node's own region view after the step; null while it is in no group.</summary>
    public required RegionView? Own { get; init; }

    /// <summary>Groups that this node joined with this step: a stay begins.</summary>
    public required IReadOnlyList<GroupInfo> Joined { get; init; }

    /// <summary>Groups that this node left with this step: a stay ends.</summary>
    public required IReadOnlyList<GroupInfo> Left { get; init; }

    /// <summary>
    /// Groups of this node, those just joined included, whose member set this step changed; their group view number becomes this step's counter.
    /// </summary>
    public required IReadOnlyList<GroupInfo> Changed { get; init; }

    /// <summary>The numbers that the views of <see cref="Changed"/> had before, in the same order; none for a group just joined.</summary>
    public required IReadOnlyList<StepNumber> ChangedFrom { get; init; }

    /// <summary>Nodes removed from the cluster with this step or announced since the one before.</summary>
    public required IReadOnlyList<NodeInfo> Removed { get; init; }
}
