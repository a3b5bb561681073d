namespace QuickSilver.Inboxes;

/// <summary>Limits and policies of one inbox: a handle's options, completed by the node's.</summary>
/// <param name="Capacity">Limit on unread messages.</param>
/// <param name="Bytes">Limit on unread bytes.</param>
/// <param name="Overflow">Policy of a full inbox, once it has a consumer.</param>
/// <param name="BufferBeforeFirstRead">Whether messages are stored before the first consumer.</param>
/// <param name="ReplacesByKey">Whether a message replaces the unread one with the same key.</param>
internal sealed record InboxLimits(
    int Capacity, long Bytes, OverflowPolicy Overflow, bool BufferBeforeFirstRead, bool ReplacesByKey = false)
{
    /// <summary>Limit on the messages a reader takes at a time: one if a newer message could replace the
    /// rest.</summary>
    public int BatchMessages => ReplacesByKey ? 1 : Math.Clamp(Capacity / 2, 1, NodeInboxes.BatchEntries);

    /// <summary>Whether a further message fits. A lone one fits at any length.</summary>
    /// <param name="messages">Unread messages.</param>
    /// <param name="bytes">Bytes that count against the limit.</param>
    /// <param name="length">The message's length.</param>
    public bool Fits(long messages, long bytes, int length) =>
        messages < Capacity && (bytes == 0 || bytes + length <= Bytes);
}
