using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>Losses of one sender for one reason, merged while nobody has read them.</summary>
/// <param name="Sender">Who sent the messages.</param>
/// <param name="First">Number of the first.</param>
/// <param name="Count">How many; 0: unknown.</param>
/// <param name="Reason">Why.</param>
internal sealed record LossNote(NodeInfo Sender, ulong First, ulong Count, LossReason Reason)
{
    /// <summary>Both in one.</summary>
    public LossNote MergedWith(ulong first, ulong count) =>
        this with { First = Math.Min(First, first), Count = Count == 0 || count == 0 ? 0 : Count + count };
}
