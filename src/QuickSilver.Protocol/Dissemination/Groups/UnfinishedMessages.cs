using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// One group's messages that are not over: from when they are taken from their sources until they are stable in every
/// stream that carries them, and were delivered on this node, in the order of their numbers. A record goes back to the
/// pool when both are done; one that nobody asks about by itself, already when it is packed and delivered. Core thread
/// only.
/// </summary>
internal sealed class UnfinishedMessages(SendContext context)
{
    private SelfDelivery _selfDelivery;
    private PendingTally _pending;

    /// <summary>Those that are not known stable.</summary>
    public long PendingMessages => _pending.Messages;

    /// <summary>Their bytes.</summary>
    public long PendingBytes => _pending.Bytes;

    /// <summary>True when every message that was numbered has been delivered here: the next can be as soon as it is packed.</summary>
    public bool IsAllDelivered => _selfDelivery.IsEmpty;

    /// <summary>True when there is none.</summary>
    public bool IsOver => _pending.Messages == 0 && _selfDelivery.IsEmpty;

    /// <inheritdoc cref="PendingTally.Add"/>
    public ulong Add(int messages, long bytes) => _pending.Add(messages, bytes);

    /// <inheritdoc cref="PendingTally.Flush"/>
    public void Flush(Action<Instant> flushed, Instant now) => _pending.Flush(context, flushed, now);

    /// <summary>A message has its number, and so its place in the order of delivery on this node.</summary>
    public void OnNumbered(OutgoingMessage message) => _selfDelivery.Append(message);

    /// <summary>All of a message is packed in this node's own region's stream, or the stream gave up: it may be delivered here.</summary>
    /// <param name="message">The message.</param>
    /// <param name="inPacket">Where a packet holds it in one piece, and will be flushed from; empty when none does.</param>
    /// <param name="now">The present instant.</param>
    public void OnOwnCopyPacked(OutgoingMessage message, in Slice inPacket, Instant now)
    {
        if (!inPacket.IsEmpty)
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
    public void OnStable(OutgoingMessage message, Instant now)
    {
        message.IsComplete = true;
        _pending.Remove(1, message.Length);
        ulong ordinal = message.Ordinal;
        if (!context.IsClosed)
        {
            message.Ticket?.OnStable(message.Removed, now);
            _pending.TellFlushes(ordinal, 1, now);
        }
        if (message.OwnDone) context.Messages.Return(message);
    }

    /// <summary>A message is counted where it is sent, and will be stable as part of a run: its record is needed for own delivery at most.</summary>
    public void OnCounted(OutgoingMessage message)
    {
        message.IsComplete = true;
        if (message.OwnDone) context.Messages.Return(message);
    }

    /// <summary>Messages that were counted are stable.</summary>
    public void OnStable(in SentBatch run, Instant now)
    {
        _pending.Remove(run.Count, run.Bytes);
        if (!context.IsClosed) _pending.TellFlushes(run.FirstOrdinal, run.Count, now);
    }
}
