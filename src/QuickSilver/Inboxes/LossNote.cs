using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>Losses of one sender for one reason, merged while unread. Owned by one thread at a time.</summary>
/// <param name="loss">The first loss.</param>
internal sealed class LossNote(in Loss loss)
{
    /// <summary>The sender of the messages.</summary>
    public NodeInfo Sender { get; } = loss.Sender;

    /// <summary>Number of the first message.</summary>
    public ulong First { get; private set; } = loss.First;

    /// <summary>Number of messages; 0: unknown.</summary>
    public ulong Count { get; private set; } = loss.Count;

    /// <summary>Why they are lost.</summary>
    public LossReason Reason { get; } = loss.Reason;

    /// <summary>Adds losses of the same sender for the same reason.</summary>
    public void Merge(ulong first, ulong count)
    {
        First = Math.Min(First, first);
        Count = Count == 0 || count == 0 ? 0 : Count + count;
    }
}
