using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using ProtocolView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Benchmarks.Dissemination;

/// <summary>A cluster of one region.</summary>
internal sealed class OneRegion(NodeInfo self, GroupInfo group, ProtocolView view) : ClusterView
{
    /// <inheritdoc/>
    public override StepNumber Installed => view.FirstStep;

    /// <inheritdoc/>
    public override NodeInfo? Self => self;

    /// <inheritdoc/>
    public override ProtocolView? Own => view;

    /// <inheritdoc/>
    public override IEnumerable<ProtocolView> Views => [view];

    /// <inheritdoc/>
    public override NodeInfo? FindNode(ulong key) => null;

    /// <inheritdoc/>
    public override GroupInfo? FindGroup(GroupId id) => id == group.Id ? group : null;

    /// <inheritdoc/>
    public override IReadOnlyList<ProtocolView> ViewsOf(GroupId id) => id == group.Id ? [view] : [];

    /// <inheritdoc/>
    public override StepNumber GroupViewOf(GroupId id) => view.FirstStep;
}
