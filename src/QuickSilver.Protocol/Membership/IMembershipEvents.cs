using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>What the agent tells the rest of its node. Core thread only, never re-entered.</summary>
public interface IMembershipEvents
{
    /// <summary>The server has admitted this node.</summary>
    void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now);

    /// <summary>A step has been installed in the <see cref="ClusterView"/>. The agent acknowledges it when the call returns.</summary>
    void OnStepInstalled(InstalledStep step, Instant now);

    /// <summary>Senders may use the step; it is the one installed last.</summary>
    void OnStepActivated(StepNumber step, Instant now);

    /// <summary>
    /// Every permitted sender has switched to the step, or been removed: joins that came with it return. Comes only to nodes that joined with the
    /// step, and means this step alone: steps may settle out of order.
    /// </summary>
    void OnStepSettled(StepNumber step, Instant now);

    /// <summary>Every sender is done with the view and every member has installed it: what is left of it may go.</summary>
    void OnViewRetired(RegionView view, Instant now);

    /// <summary>
    /// Nodes are gone from the cluster; announced at once, ahead of the step that takes them out of views. Once for each node, whether the server or
    /// a peer said so first.
    /// </summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now);

    /// <summary>
    /// The server itself has said that a node is gone, in order with its steps: all steps in which it could send are installed here. Follows
    /// <see cref="OnNodesRemoved"/>, at once or, if a peer was faster, later.
    /// </summary>
    void OnRemovalConfirmed(NodeInfo node, Instant now);

    /// <summary>The server refused to let this node into a group.</summary>
    void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now);

    /// <summary>Nobody is in these groups and no view knows them: their ids are not seen again. This node may have been in them.</summary>
    void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now);

    /// <summary>A heartbeat is about to go: whatever holds this node up is to be added, for the server to judge.</summary>
    void OnObserving(NodeObservations observed, Instant now);

    /// <summary>The connection to the server broke (false) or a server admitted this node again (true). Data goes on; views stand still.</summary>
    void OnConnectionChanged(bool connected, Instant now);

    /// <summary>The server holds back: it removes nobody, and joins may wait; or it does so no more (<see cref="HoldReason.None"/>). Counts until the
    /// connection to it ends.</summary>
    void OnHold(MembershipHold hold, Instant now)
    {
    }

    /// <summary>The server refused this node, or told it that it has been removed. Nothing more comes from this agent.</summary>
    void OnExpelled(MembershipRefusal reason, Instant now);
}
