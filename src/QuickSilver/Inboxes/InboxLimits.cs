namespace QuickSilver.Inboxes;

/// <summary>Limits and policies of one inbox: a handle's options, completed by the node's.</summary>
/// <param name="Capacity">Limit on unread messages.</param>
/// <param name="Bytes">Limit on unread bytes.</param>
/// <param name="Overflow">Policy of a full inbox, once it has a consumer.</param>
/// <param name="BufferBeforeFirstRead">Whether messages are stored before the first consumer.</param>
internal sealed record InboxLimits(int Capacity, long Bytes, OverflowPolicy Overflow, bool BufferBeforeFirstRead)
{
    /// <summary>Whether a message replaces the unread one with the same key.</summary>
    public bool ReplacesByKey => Overflow == OverflowPolicy.KeepLatestByKey;
}
