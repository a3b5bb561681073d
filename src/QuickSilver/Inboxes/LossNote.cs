using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>Losses of one sender for one reason, merged while nobody has read them. Belongs to one thread at a time.</summary>
/// <param name="sender">Who sent the messages.</param>
/// <param name="first">Number of the first.</param>
/// <param name="count">How many; 0: unknown.</param>
/// <param name="reason">Why.</param>
internal sealed class LossNote(NodeInfo sender, ulong first, ulong count, LossReason reason)
{
    /// <summary>Who sent the messages.</summary>
    public NodeInfo Sender { get; } = sender;

    /// <summary>Number of the first.</summary>
    public ulong First { get; private set; } = first;

    /// <summary>How many; 0: unknown.</summary>
    public ulong Count { get; private set; } = count;

    /// <summary>Why.</summary>
    public LossReason Reason { get; } = reason;

    /// <summary>Adds losses of the same sender for the same reason.</summary>
    public void Merge(ulong first, ulong count)
    {
        First = Math.Min(First, first);
        Count = Count == 0 || count == 0 ? 0 : Count + count;
    }
}
