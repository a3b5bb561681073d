using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Receives a node's events for its host; events in a group go to the group's <see cref="IGroupListener"/>. Called on
/// the core thread, never re-entered from inside a send; implementations must be short and must not throw.
/// </summary>
internal interface INodeUpcalls
{
    /// <summary>
    /// Senders of this node have switched to a step: <see cref="LocalGroup.SendMemberCount"/> may have changed.
    /// </summary>
    void OnStepActivated(StepNumber step, Instant now);

    /// <summary>A step is installed in the cluster view; sessions that it begins or ends are told of
    /// afterwards.</summary>
    void OnStepInstalled(InstalledStep step, Instant now)
    {
    }

    /// <summary>The node has been admitted to the cluster.</summary>
    void OnRegistered(NodeInfo self, Instant now);

    /// <summary>The way in which a member, or a sender, is reached has changed.</summary>
    /// <param name="other">The member; the sender, for <see cref="CarrierChange.SenderUnheard"/>.</param>
    /// <param name="change">The change.</param>
    /// <param name="now">The present instant.</param>
    void OnCarrierChanged(NodeInfo other, CarrierChange change, Instant now);

    /// <summary>
    /// The connection to the membership server broke, or is back. Data continues to flow; views do not change.
    /// </summary>
    void OnConnectionChanged(bool connected, Instant now);

    /// <summary>
    /// The membership server has begun, or ceased, to hold: it removes nobody, and joins may wait. The state lasts
    /// until the connection ends.
    /// </summary>
    void OnHold(MembershipHold hold, Instant now)
    {
    }

    /// <summary>
    /// A monitor is open in the cluster, or none is left: the node is to publish its statistics, or to cease. May be
    /// repeated.
    /// </summary>
    void OnMonitored(bool isOpen, Instant now)
    {
    }

    /// <summary>
    /// A member was removed because it was too slow for a region; <see cref="OnNodesRemoved"/> tells of it as well.
    /// </summary>
    void OnMemberShed(NodeInfo member, Instant now)
    {
    }

    /// <summary>Nodes are gone from the cluster.</summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now);

    /// <summary>
    /// A member has begun, or ceased, to hold up a region that this node is in or sends to; called twice a second at
    /// most.
    /// </summary>
    /// <param name="behind">All members that are behind, the slowest first; <see cref="LaggingMember.HoldsUp"/> marks
    /// those that hold regions up.</param>
    /// <param name="now">The present instant.</param>
    void OnLagChanged(IReadOnlyList<LaggingMember> behind, Instant now)
    {
    }

    /// <summary>This node has been refused or removed; this stack makes no further calls.</summary>
    void OnExpelled(MembershipRefusal reason, Instant now);

    /// <summary>A member has reported a new limit on this node's datagrams to it.</summary>
    /// <param name="member">The member.</param>
    /// <param name="longest">The longest that arrives, in bytes; 0: all do.</param>
    /// <param name="now">The present instant.</param>
    void OnPathTold(NodeInfo member, int longest, Instant now)
    {
    }

    /// <summary>A new limit on a node's datagrams to this node was measured.</summary>
    /// <param name="from">The node.</param>
    /// <param name="longest">The longest that arrives, in bytes; 0: all do.</param>
    /// <param name="full">The longest that the node would send.</param>
    /// <param name="now">The present instant.</param>
    void OnPathFound(NodeInfo from, int longest, int full, Instant now)
    {
    }

    /// <summary>No packet passes from one node to another, of whatever length, though control does.</summary>
    /// <param name="other">The other node.</param>
    /// <param name="isInbound">True: its packets do not arrive here; false: this node's do not arrive there.</param>
    /// <param name="now">The present instant.</param>
    void OnPathBlocked(NodeInfo other, bool isInbound, Instant now)
    {
    }
}
