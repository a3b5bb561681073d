using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The order in which one group's own messages are delivered on their own node. That is by number, though a message
/// bound later may be packed earlier, in another view's stream. The records themselves form the list; usually a message
/// is at its head when it is ready, and passes without being kept.
/// </summary>
internal struct SelfDelivery
{
    private OutgoingMessage? _head;
    private OutgoingMessage? _tail;

    /// <summary>True when every message that was numbered has been delivered here.</summary>
    public readonly bool IsEmpty => _head is null;

    /// <summary>Appends a message that has been numbered, and will be ready later.</summary>
    public void Append(OutgoingMessage message)
    {
        System.Diagnostics.Debug.Assert(message.Next is null, "still in another list");
        if (_tail is null) _head = message;
        else _tail.Next = message;
        _tail = message;
    }

    /// <summary>
    /// Delivers a message that may be delivered, or keeps it (with its own reference to <paramref name="bytes"/>) until
    /// all before it have been. Delivered messages are in <see cref="SendContext.Own"/> when the call returns: the
    /// caller flushes it.
    /// </summary>
    public void Ready(SendContext context, OutgoingMessage message, in Slice bytes, Instant now)
    {
        if (message != _head)
        {
            context.Settings.Probes.Reached("a message is ready for its own node before an earlier one");
            bytes.Retain();
            message.OwnBytes = bytes;
            message.OwnWaits = true;
            return;
        }
        Deliver(context, message, bytes, now);
        while (_head is { OwnWaits: true } next)
        {
            Slice kept = next.OwnBytes;
            Deliver(context, next, kept, now);
            context.Own.Flush(now);
            kept.Release();
        }
    }

    private void Deliver(SendContext context, OutgoingMessage message, in Slice bytes, Instant now)
    {
        _head = message.Next;
        message.Next = null;
        if (_head is null) _tail = null;
        message.OwnDone = true;
        if (message.Group.Listener is not null)
        {
            DeliveryBatch batch = message.IsPiece
                ? DeliveryBatch.OfPiece(message.Number, bytes)
                : new DeliveryBatch(message.Number, bytes);
            context.Own.Add(message.Group, message.Step, batch, now);
        }
        if (message.IsComplete) context.Messages.Return(message);
    }
}
