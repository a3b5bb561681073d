using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>What the protocol reports of the node, its membership and its paths: passed to groups, to the log and to
/// the application's events. Core thread only.</summary>
internal sealed partial class NodeCore
{
    void INodeUpcalls.OnStepInstalled(InstalledStep step, Instant now)
    {
        Volatile.Write(ref _layout, step.Layout);
        Monitoring?.OnStepInstalled(step);
        if (!IsInMemory && step.Opened.Count > 0) _others.Look(step.Opened, _transport.Choice);
    }

    void INodeUpcalls.OnStepActivated(StepNumber step, Instant now) => Directory.OnStepActivated();

    void INodeUpcalls.OnRegistered(NodeInfo self, Instant now)
    {
        MemberId? before = Self is null ? null : new MemberId(Self);
        Self = self;
        _lifecycle.OnRegistered(new MemberId(self), before);
        Unserved.OnConnectionChanged(true, now);
    }

    void INodeUpcalls.OnCarrierChanged(NodeInfo other, CarrierChange change, Instant now) =>
        Services.Log.Post(
            (Self: Self?.Name ?? "", Other: other.Name, change),
            static (logger, s) => CarrierLog.Write(logger, s.Self, s.Other, s.change));

    void INodeUpcalls.OnConnectionChanged(bool connected, Instant now)
    {
        MembersMissing = 0;
        _lifecycle.OnConnectionChanged(connected);
        Unserved.OnConnectionChanged(connected, now);
    }

    void INodeUpcalls.OnHold(MembershipHold hold, Instant now)
    {
        MembersMissing = hold.Missing;
        _lifecycle.OnHold(hold);
        Unserved.OnHold(hold, now);
    }

    void INodeUpcalls.OnMemberShed(NodeInfo member, Instant now)
    {
        MembersShed++;
        var id = new MemberId(member);
        Services.Log.Post(
            (Services.Name, Member: $"{QuotedName.Of(member.Name)} ({id})"),
            static (logger, s) => Log.MemberShed(logger, s.Name, s.Member));
        Services.Events.Post(new MemberShed(new Member(id, member.Name)));
    }

    void INodeUpcalls.OnMonitored(bool isOpen, Instant now) => Monitoring?.OnMonitored(isOpen);

    void INodeUpcalls.OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        Monitoring?.OnNodesRemoved(nodes);
        Services.Log.Post(
            (nodes.Count,
            Names: string.Join(", ", nodes.Select(static node => $"{QuotedName.Of(node.Name)} ({node.Number})"))),
            static (logger, s) => Log.NodesRemoved(logger, s.Count, s.Names));
    }

    void INodeUpcalls.OnLagChanged(IReadOnlyList<LaggingMember> behind, Instant now) => Lags.OnChanged(behind, now);

    void INodeUpcalls.OnPathTold(NodeInfo member, int longest, Instant now) =>
        _lifecycle.Reporter.OnPathTold(member, longest);

    void INodeUpcalls.OnPathFound(NodeInfo from, int longest, int full, Instant now) =>
        _lifecycle.Reporter.OnPathFound(from, longest, full);

    void INodeUpcalls.OnPathBlocked(NodeInfo other, bool isInbound, Instant now) =>
        _lifecycle.Reporter.OnPathBlocked(other, isInbound);

    void INodeUpcalls.OnExpelled(MembershipRefusal reason, Instant now) =>
        Services.TryPost(later => OnExpelled(reason, later));
}
