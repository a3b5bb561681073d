using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Takes what one stay in a group delivers: given when the stay is opened, and called by the order stage directly. Core thread only; must not throw. An
/// implementation may send, close groups and hand over own messages: what that makes deliverable in the same (sender, group) follows when the call
/// has returned.
/// </summary>
public interface IDeliveryListener
{
    /// <summary>
    /// The next messages of a sender. Their bytes are valid during the call; who wants one longer retains its slice. When the stay is closed during the
    /// call, those that follow are not for it.
    /// </summary>
    void OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now);

    /// <summary>Messages of a sender that will never be delivered: the gap in its numbers.</summary>
    /// <param name="sender">Whose messages.</param>
    /// <param name="first">Number of the first; 0 when unknown.</param>
    /// <param name="count">How many; 0 when unknown.</param>
    /// <param name="now">The present instant.</param>
    void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now);
}
