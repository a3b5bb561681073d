using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>The rest of a node, and its link, for an agent that is only fed: nothing happens, but for the
/// end.</summary>
internal sealed class InertNode : IMembershipEvents, IMembershipLink
{
    public bool Expelled { get; private set; }

    public void Send(ReadOnlySpan<byte> frame)
    {
    }

    public void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now)
    {
    }

    public void OnStepInstalled(InstalledStep step, Instant now)
    {
    }

    public void OnStepActivated(StepNumber step, Instant now)
    {
    }

    public void OnStepSettled(StepNumber step, Instant now)
    {
    }

    public void OnViewRetired(RegionView view, Instant now)
    {
    }

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
    }

    public void OnRemovalConfirmed(NodeInfo node, Instant now)
    {
    }

    public void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now)
    {
    }

    public void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now)
    {
    }

    public void OnObserving(NodeObservations observed, Instant now)
    {
    }

    public void OnConnectionChanged(bool connected, Instant now)
    {
    }

    public void OnExpelled(MembershipRefusal reason, Instant now) => Expelled = true;
}
