using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>State of a node; see <see cref="QuickSilverNode.State"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<NodeState>))]
public enum NodeState
{
    /// <summary>Sockets are open; the membership server has not admitted the node yet.</summary>
    Starting,

    /// <summary>The node is admitted, and connected to the membership server.</summary>
    Running,

    /// <summary>The membership server holds back and removes no node: it waits for half of the members, or has lost
    /// sight of more than half at once (<see cref="MembershipOptions.AwaitMajority"/>). Data flows in the installed
    /// views; joins and leaves may wait. <see cref="NodeStateChanged.Reason"/> names the missing members.
    /// <see cref="QuickSilverNode.ForgetMemberAsync"/> ends the wait for one that is permanently gone.</summary>
    WaitingForMajority,

    /// <summary>The membership server is unreachable. Data flows in the installed views; joins and leaves wait, and
    /// views do not change.</summary>
    MembershipLost,

    /// <summary>The node was removed from the cluster, and all group handles have ended. It then rejoins under a new id
    /// or stops, according to <see cref="MembershipOptions.Eviction"/>.</summary>
    Evicted,

    /// <summary>The node is being disposed of and drains the messages it has sent.</summary>
    Stopping,

    /// <summary>The node has ended. Calls throw, or report it by their result. Statistics can still be read, and so can
    /// the stored messages of failed handles.</summary>
    Stopped,
}
