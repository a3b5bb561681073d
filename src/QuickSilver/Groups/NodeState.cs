using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What a node is doing, as <see cref="QuickSilverNode.State"/> tells it.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<NodeState>))]
public enum NodeState
{
    /// <summary>Sockets are open, the membership server has not admitted the node yet.</summary>
    Starting,

    /// <summary>Admitted, and connected to the membership server.</summary>
    Running,

    /// <summary>Connected to a membership server that holds back: it waits for half of the members, or has lost sight of more than half at once
    /// (<see cref="MembershipOptions.AwaitMajority"/>). It removes nobody. Data goes on in the installed views; joins and leaves may wait.
    /// <see cref="NodeStateChanged.Reason"/> names the members that are missing; <see cref="QuickSilverNode.ForgetMemberAsync"/> ends the wait for one that
    /// is gone for good.</summary>
    WaitingForMajority,

    /// <summary>The membership server is away: data goes on in the installed views, joins and leaves wait, views stand still.</summary>
    MembershipLost,

    /// <summary>Removed from the cluster; all group handles have ended. Followed by a return under a new id, or by the end, as
    /// <see cref="MembershipOptions.Eviction"/> says.</summary>
    Evicted,

    /// <summary>Being disposed of: draining what was sent.</summary>
    Stopping,

    /// <summary>Gone: calls throw, or say so by what they return. Statistics can still be read, and stored messages of failed handles.</summary>
    Stopped,
}
