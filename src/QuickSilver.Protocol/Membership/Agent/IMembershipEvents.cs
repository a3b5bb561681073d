using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>The agent's events for the rest of its node. Core thread only, never re-entered.</summary>
internal interface IMembershipEvents
{
    /// <summary>The server has admitted this node.</summary>
    void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now);

    /// <summary>
    /// A step has been installed in the <see cref="ClusterView"/>. The agent acknowledges it when the call returns.
    /// </summary>
    void OnStepInstalled(InstalledStep step, Instant now);

    /// <summary>Senders may use the step; it is the one installed last.</summary>
    void OnStepActivated(StepNumber step, Instant now);

    /// <summary>
    /// Every permitted sender has switched to the step, or been removed: joins that came with it return, and publishers
    /// are open. Raised only on nodes that joined, or began to publish, with the step. It refers to this step alone:
    /// steps may settle out of order.
    /// </summary>
    void OnStepSettled(StepNumber step, Instant now);

    /// <summary>
    /// Every sender is done with the view and every member has installed it: its state may be released.
    /// </summary>
    void OnViewRetired(RegionView view, Instant now);

    /// <summary>
    /// Nodes are gone from the cluster. Raised at once, ahead of the step that takes them out of views. Raised once for
    /// each node, whether the server or a peer reported it first.
    /// </summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now);

    /// <summary>
    /// The server has confirmed a removal, in order with its steps: all steps in which the node could send are
    /// installed here. Follows <see cref="OnNodesRemoved"/>, at once or, if a peer reported it first, later.
    /// </summary>
    void OnRemovalConfirmed(NodeInfo node, Instant now);

    /// <summary>
    /// The server has removed a node because it was too slow for its region; <see cref="OnRemovalConfirmed"/> follows.
    /// </summary>
    void OnMemberShed(NodeInfo node, Instant now)
    {
    }

    /// <summary>The server refused to admit this node to a group.</summary>
    void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now);

    /// <summary>The server refused to let this node publish to a group.</summary>
    void OnPublishRefused(string groupName, MembershipRefusal reason, Instant now)
    {
    }

    /// <summary>
    /// No node is in these groups or publishes to them, and no view names them: their ids are not used again. This node
    /// may have been in them.
    /// </summary>
    void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now);

    /// <summary>
    /// A heartbeat is about to be sent. Observations of members that hold this node up are to be added for the server
    /// to judge.
    /// </summary>
    void OnObserving(NodeObservations observed, Instant now);

    /// <summary>
    /// The connection to the server broke (false), or a server admitted this node again (true). Data continues; views
    /// do not change meanwhile.
    /// </summary>
    void OnConnectionChanged(bool connected, Instant now);

    /// <summary>
    /// The server holds: it removes no member, and joins may wait. <see cref="HoldReason.None"/> ends the hold. Valid
    /// until the connection to the server ends.
    /// </summary>
    void OnHold(MembershipHold hold, Instant now)
    {
    }

    /// <summary>
    /// A monitor is open in the cluster, or none is left: nodes are to publish their statistics, or to cease. A server
    /// may repeat itself. None is open before the first call; after a takeover the former word stands until another
    /// comes.
    /// </summary>
    void OnMonitored(bool isOpen, Instant now)
    {
    }

    /// <summary>The server refused or removed this node. The agent raises no further events.</summary>
    void OnExpelled(MembershipRefusal reason, Instant now);
}
