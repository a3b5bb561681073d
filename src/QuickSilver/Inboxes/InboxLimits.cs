namespace QuickSilver.Inboxes;

/// <summary>How one inbox behaves: a handle's options, with the node's filled in.</summary>
/// <param name="Capacity">Most unread messages.</param>
/// <param name="Bytes">Most unread bytes.</param>
/// <param name="Overflow">What a full inbox does, once somebody has read.</param>
/// <param name="BufferBeforeFirstRead">Whether messages are kept before that.</param>
internal sealed record InboxLimits(int Capacity, long Bytes, OverflowPolicy Overflow, bool BufferBeforeFirstRead)
{
    /// <summary>True when messages replace unread ones with the same key.</summary>
    public bool ReplacesByKey => Overflow == OverflowPolicy.KeepLatestByKey;
}
