using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Receives the deliveries of one session in a group: given when the session is opened, and called by the reorder stage
/// directly. Core thread only; must not throw. An implementation may send, close groups and deliver own messages:
/// messages of the same (sender, group) that become deliverable by it follow when the call has returned.
/// </summary>
internal interface IDeliveryListener
{
    /// <summary>
    /// Delivers the next messages of a sender. Their bytes are valid during the call; retain a message's slice to keep
    /// it longer. When the session is closed during the call, the remaining messages of the batch are to be ignored.
    /// </summary>
    void OnMessages(NodeInfo sender, in DeliveryBatch batch, Instant now);

    /// <summary>
    /// Told that messages follow within the same packet: a listener may have memory loaded that it will use
    /// (<see cref="CacheLines"/>). Must not change anything.
    /// </summary>
    void Prepare()
    {
    }

    /// <summary>Reports messages of a sender that will never be delivered: the gap in its numbers.</summary>
    /// <param name="sender">Their sender.</param>
    /// <param name="first">Number of the first; 0 when unknown.</param>
    /// <param name="count">Number of messages; 0 when unknown.</param>
    /// <param name="now">The present instant.</param>
    void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now);

    /// <summary>
    /// Reports messages that will never be delivered, with the cause, in groups of modes with other causes than
    /// <see cref="LossCause.SenderFailed"/>.
    /// </summary>
    void OnLoss(NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now) =>
        OnLoss(sender, first, count, now);

    /// <summary>
    /// A sender of the session's messages was removed from the cluster, and none of its messages follows: all that can
    /// be recovered has been delivered, and the rest reported lost.
    /// </summary>
    void OnSenderClosed(NodeInfo sender, Instant now);
}
