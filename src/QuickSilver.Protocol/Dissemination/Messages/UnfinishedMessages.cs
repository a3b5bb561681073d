using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// One group's messages that are in progress: taken from their sources, but not yet stable in every stream that carries
/// them, or not yet delivered on this node. Delivery here follows the order of their numbers. A record returns to the
/// pool when both are done. The record of a message that nobody follows by itself returns as soon as it is packed and
/// delivered. A field of <see cref="GroupSender"/>, never copied. Core thread only.
/// </summary>
internal struct UnfinishedMessages
{
    private SelfDelivery _selfDelivery;
    private PendingTally _pending;

    /// <summary>Messages that are not known stable.</summary>
    public readonly long PendingMessages => _pending.Messages;

    /// <summary>Bytes of those messages.</summary>
    public readonly long PendingBytes => _pending.Bytes;

    /// <summary>
    /// True when every numbered message has been delivered here: the next can be as soon as it is packed.
    /// </summary>
    public readonly bool IsAllDelivered => _selfDelivery.IsEmpty;

    /// <summary>True when no message is in progress.</summary>
    public readonly bool IsOver => _pending.Messages == 0 && _selfDelivery.IsEmpty;

    /// <inheritdoc cref="PendingTally.Add"/>
    public ulong Add(int messages, long bytes) => _pending.Add(messages, bytes);

    /// <inheritdoc cref="PendingTally.Flush"/>
    public void Flush(SendContext context, Action<Instant> flushed, Instant now) =>
        _pending.Flush(context, flushed, now);

    /// <summary>Enters a numbered message into the order of delivery on this node.</summary>
    public void OnNumbered(OutgoingMessage message) => _selfDelivery.Append(message);

    /// <summary>
    /// All of a message is packed in the stream of this node's own region, or that stream gave up: it may be delivered
    /// here.
    /// </summary>
    /// <param name="context">The node's shared state, as for all members that take it.</param>
    /// <param name="message">The message.</param>
    /// <param name="inPacket">The packet's copy when it is in one piece and will be flushed; else empty.</param>
    /// <param name="now">The present instant.</param>
    public void OnOwnCopyPacked(SendContext context, OutgoingMessage message, in Slice inPacket, Instant now)
    {
        // Without a session as a member nobody receives it here: there is no need to copy it.
        if (!inPacket.IsEmpty || message.Group.Listener is null)
        {
            _selfDelivery.Ready(context, message, inPacket, now);
            return;
        }
        bool isCopied = message.Pooled.IsEmpty;
        Slice bytes = isCopied ? context.Copy(message.Span) : message.Pooled;
        _selfDelivery.Ready(context, message, bytes, now);
        context.Own.Flush(now);
        if (isCopied) bytes.Release();
    }

    /// <summary>A message is stable in every stream that carries it.</summary>
    public void OnStable(SendContext context, OutgoingMessage message, Instant now)
    {
        message.IsComplete = true;
        _pending.Remove(1, message.Length);
        ulong ordinal = message.Ordinal;
        if (!context.IsClosed)
        {
            message.Ticket?.OnStable(message.Removed, now);
            _pending.NotifyFlushes(ordinal, 1, now);
        }
        if (message.OwnDone) context.Messages.Return(message);
    }

    /// <summary>
    /// A message is counted where it is sent, and becomes stable as part of a batch: at most own delivery still needs
    /// its record.
    /// </summary>
    public readonly void OnCounted(SendContext context, OutgoingMessage message)
    {
        message.IsComplete = true;
        if (message.OwnDone) context.Messages.Return(message);
    }

    /// <summary>Counted messages are stable.</summary>
    public void OnStable(SendContext context, in SentBatch batch, Instant now)
    {
        _pending.Remove(batch.Count, batch.Bytes);
        if (!context.IsClosed) _pending.NotifyFlushes(batch.FirstOrdinal, batch.Count, now);
    }
}
