using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;

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
    /// Not all members of the present view go on together: until the next view, messages are promised to those alone
    /// that do. Comes before the first such message, in groups whose views have a place among the messages. Called only
    /// while the group is watched.
    /// </summary>
    /// <param name="together">The members that go on together, this node among them.</param>
    /// <param name="now">The present instant.</param>
    void OnTransition(IReadOnlyList<NodeInfo> together, Instant now);

    /// <summary>
    /// Admission to the group has shut (a limit of pending was reached) or opened again (half of it is free).
    /// </summary>
    void OnGateChanged(bool open, Instant now);
}
