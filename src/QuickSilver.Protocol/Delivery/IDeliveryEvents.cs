using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Who receives what a <see cref="Deliverer"/> delivers. Core thread only; must not throw. An implementation may send, close groups and hand over own
/// messages: what that makes deliverable in the same (sender, group) follows when the call has returned.
/// </summary>
public interface IDeliveryEvents
{
    /// <summary>
    /// The next messages of a sender in a group. Their bytes are valid during the call; who wants one longer retains its slice. When the group is
    /// closed during the call, those that follow are not for it any more.
    /// </summary>
    void OnMessages(GroupReceiver group, NodeInfo sender, in MessageRun run, Instant now);

    /// <summary>Messages of a sender in a group that will never be delivered.</summary>
    /// <param name="group">The group.</param>
    /// <param name="sender">Whose messages.</param>
    /// <param name="first">Number of the first; 0 when unknown.</param>
    /// <param name="count">How many; 0 when unknown.</param>
    /// <param name="cause">Why.</param>
    /// <param name="now">The present instant.</param>
    void OnLoss(GroupReceiver group, NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now);
}
