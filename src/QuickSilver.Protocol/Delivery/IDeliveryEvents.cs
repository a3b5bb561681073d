using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Who receives what a <see cref="Deliverer"/> delivers. Core thread only; must not throw. An implementation may send, close groups and hand over own
/// messages: what that makes deliverable in the same (sender, group) follows when the call has returned.
/// </summary>
public interface IDeliveryEvents
{
    /// <summary>The next message of a sender in a group. Its payload is valid during the call.</summary>
    void OnMessage(GroupReceiver group, in DeliveredMessage message, Instant now);

    /// <summary>Messages of a sender in a group that will never be delivered.</summary>
    /// <param name="group">The group.</param>
    /// <param name="sender">Whose messages.</param>
    /// <param name="first">Number of the first; 0 when unknown.</param>
    /// <param name="count">How many; 0 when unknown.</param>
    /// <param name="cause">Why.</param>
    /// <param name="now">The present instant.</param>
    void OnLoss(GroupReceiver group, NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now);
}
