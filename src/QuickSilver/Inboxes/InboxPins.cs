using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Inboxes;

/// <summary>
/// Creates the entries of one inbox and limits the memory that small messages pin; one message can pin a chunk of
/// 64 KiB.
/// <para>
/// Idea: pinned memory is counted where the chunk changes from one entry to the next. Its limit is twice the inbox's
/// limit in bytes, or the node's limit for all inboxes. Beyond it, messages shorter than a quarter of their chunk are
/// copied to arrays of their own. A stalled reader therefore costs at most three times its limit, for any traffic.
/// O(1); allocates only those copies. Core thread only; a field of <see cref="InboxCore"/>, never copied.
/// </para>
/// </summary>
internal struct InboxPins
{
    private const int PinnedPerLimit = 2;
    private const int SmallShare = 4;

    private Chunk? _lastChunk;

    /// <summary>Records that a message was removed whose memory no other entry pins.</summary>
    public void OnReleased(in InboxEntry removed)
    {
        if (removed.Pinned > 0 && ReferenceEquals(removed.Chunk, _lastChunk)) _lastChunk = null;
    }

    /// <summary>References the message's memory, or copies the message.</summary>
    /// <param name="message">The message.</param>
    /// <param name="limits">Limits of the inbox.</param>
    /// <param name="depth">Fill level of the inbox; read only where the chunk changes.</param>
    /// <param name="budget">The node's budget for all inboxes.</param>
    public InboxEntry ToEntry(in DeliveredMessage message, InboxLimits limits, in InboxDepth depth, InboxBudget budget)
    {
        Slice payload = message.Payload;
        if (payload.Chunk is not { } chunk)
            return new InboxEntry(Array.Empty<byte>(), message.Sender, message.Number, 0, 0, 0);
        int pinned = 0;
        // Replacement removes messages out of order, so each message counts its whole chunk: its neighbours may be
        // removed first.
        if (!ReferenceEquals(chunk, _lastChunk) || limits.ReplacesByKey)
        {
            pinned = chunk.Length;
            bool isPinnedOver = depth.Pinned / PinnedPerLimit > limits.Bytes || budget.IsPinnedOver;
            if (isPinnedOver && payload.Length < pinned / SmallShare)
            {
                return new InboxEntry(payload.Span.ToArray(), message.Sender, message.Number, 0, payload.Length, 0);
            }
            _lastChunk = chunk;
        }
        chunk.Retain();
        return new InboxEntry(chunk, message.Sender, message.Number, payload.Offset, payload.Length, pinned);
    }
}
