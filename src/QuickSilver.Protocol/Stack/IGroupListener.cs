using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The host's end of one session in a group: given with the join (<see cref="JoinRequest.ListenerFor"/>), kept by the
/// protocol until the session ends. Called on the core thread, never re-entered from inside a send; implementations
/// must be short and must not throw. When the node leaves the group during a call, the rest of the call's messages are
/// to be ignored.
/// </summary>
internal interface IGroupListener : IDeliveryListener
{
    /// <summary>
    /// The group has a new view (its member set changed); comes before the first message sent in it. Called only while
    /// the group is watched: <see cref="LocalGroup.WatchViews"/>.
    /// </summary>
    void OnViewChanged(Instant now);

    /// <summary>
    /// Admission to the group has shut (a limit of pending was reached) or opened again (half of it is free).
    /// </summary>
    void OnGateChanged(bool open, Instant now);
}
