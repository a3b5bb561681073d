using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Carriers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// What a node tells its host about itself; what happens in a group goes to the group's <see cref="IGroupListener"/>. Called on the core thread,
/// never re-entered from inside a send; implementations must be short and must not throw.
/// </summary>
public interface INodeUpcalls
{
    /// <summary>Senders of this node have switched to a step: <see cref="LocalGroup.SendMemberCount"/> may have changed.</summary>
    void OnStepActivated(StepNumber step, Instant now);

    /// <summary>The node has been admitted to the cluster.</summary>
    void OnRegistered(NodeInfo self, Instant now);

    /// <summary>A member, or a sender, is reached in another way from now on.</summary>
    /// <param name="other">The member; the sender, for <see cref="CarrierChange.SenderUnheard"/>.</param>
    /// <param name="change">What has changed.</param>
    /// <param name="now">The present instant.</param>
    void OnCarrierChanged(NodeInfo other, CarrierChange change, Instant now);

    /// <summary>The connection to the membership server broke, or is back. Data goes on; views stand still.</summary>
    void OnConnectionChanged(bool connected, Instant now);

    /// <summary>The membership server holds back: it removes nobody, and joins may wait; or does so no more. Counts until the connection ends.</summary>
    void OnHold(MembershipHold hold, Instant now)
    {
    }

    /// <summary>Nodes are gone from the cluster.</summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now);

    /// <summary>Some member has begun, or ceased, to hold up a region that this node is in or sends to; twice a second at most.</summary>
    /// <param name="behind">All that are behind, the slowest first; those that hold regions up say so.</param>
    /// <param name="now">The present instant.</param>
    void OnLagChanged(IReadOnlyList<LaggingMember> behind, Instant now)
    {
    }

    /// <summary>This node has been refused or removed; nothing more comes from this stack.</summary>
    void OnExpelled(MembershipRefusal reason, Instant now);

    /// <summary>A member has said how long this node's datagrams may be to reach it, and it is not what it was.</summary>
    /// <param name="member">The member.</param>
    /// <param name="longest">The longest that arrives, in bytes; 0: all do.</param>
    /// <param name="now">The present instant.</param>
    void OnPathTold(NodeInfo member, int longest, Instant now)
    {
    }

    /// <summary>It was measured how long a node's datagrams may be to arrive here, and it is not what it was.</summary>
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
