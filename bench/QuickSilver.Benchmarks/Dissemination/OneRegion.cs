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
    public override GroupLayout Layout { get; } =
        new(view.FirstStep, view, view.Region.Groups, [view], [group], [view.FirstStep.Counter]);

    /// <inheritdoc/>
    public override NodeInfo? FindNode(ulong key) => null;
}
