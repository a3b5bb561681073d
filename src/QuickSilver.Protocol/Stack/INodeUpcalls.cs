using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// What a node tells its host. Called on the core thread, never re-entered from inside a send; implementations must be short and must not throw.
/// </summary>
public interface INodeUpcalls
{
    /// <summary>
    /// Messages are delivered: each once, in their sender's order. When the node leaves the group during the call, the rest is not for it.
    /// </summary>
    void OnMessages(LocalGroup group, NodeInfo sender, in MessageRun run, Instant now);

    /// <summary>Messages will never be delivered: the gap in the sender's numbers. A count of 0 means that it is unknown.</summary>
    void OnLoss(LocalGroup group, NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now);

    /// <summary>The group has a new view (its member set changed); comes before the first message sent in it.</summary>
    void OnViewChanged(LocalGroup group, Instant now);

    /// <summary>Admission to a group has shut (a limit of pending was reached) or opened again (half of it is free).</summary>
    void OnGateChanged(LocalGroup group, bool open, Instant now);

    /// <summary>Senders of this node have switched to a step: <see cref="LocalGroup.SendMemberCount"/> may have changed.</summary>
    void OnStepActivated(StepNumber step, Instant now);

    /// <summary>The node has been admitted to the cluster.</summary>
    void OnRegistered(NodeInfo self, Instant now);

    /// <summary>The connection to the membership server broke, or is back. Data goes on; views stand still.</summary>
    void OnConnectionChanged(bool connected, Instant now);

    /// <summary>Nodes are gone from the cluster.</summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now);

    /// <summary>This node has been refused or removed; nothing more comes from this stack.</summary>
    void OnExpelled(MembershipRefusal reason, Instant now);
}
