using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Inboxes;

/// <summary>
/// Makes the entries of one inbox, and sees to it that small messages do not keep much memory: one can keep a chunk of 64 KiB.
/// <para>
/// Idea: what the inbox keeps so is counted where the chunk changes from one entry to the next, and beyond twice the inbox's limit in bytes, or the
/// node's limit for all inboxes, messages shorter than a quarter of their chunk are copied to arrays of their own instead. So a reader that stands
/// still costs at most three times its limit, whatever arrives. O(1); allocates only those copies. Core thread only; a field of
/// <see cref="InboxCore"/>, never copied.
/// </para>
/// </summary>
internal struct InboxPins
{
    private const int PinnedPerLimit = 2;
    private const int SmallShare = 4;

    private Chunk? _lastChunk;

    /// <summary>Takes a reference on the message's memory, or a copy.</summary>
    /// <param name="message">The message.</param>
    /// <param name="limits">The inbox's.</param>
    /// <param name="depth">What the inbox keeps already; looked at only where the chunk changes.</param>
    /// <param name="budget">The node's.</param>
    public InboxEntry ToEntry(in DeliveredMessage message, InboxLimits limits, in InboxDepth depth, InboxBudget budget)
    {
        Slice payload = message.Payload;
        if (payload.Chunk is not { } chunk) return new InboxEntry(Array.Empty<byte>(), message.Sender, message.Number, 0, 0, 0);
        int pinned = 0;
        // Where messages go out of turn, each counts all of its chunk: those around it may be gone first.
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
