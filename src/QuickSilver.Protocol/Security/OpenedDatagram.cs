using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// A datagram that was opened: where its counter is to be marked as read once it has been taken. What is refused for
/// its source is not marked, since the genuine one may follow.
/// </summary>
/// <param name="View">The keys of its view.</param>
/// <param name="Writer">The keys of the node that sealed it; null for feedback.</param>
/// <param name="Lane">Its lane.</param>
/// <param name="Index">Index of the node that sealed it.</param>
/// <param name="Counter">Its counter.</param>
internal readonly record struct OpenedDatagram(
    ViewKeys View, WriterKeys? Writer, SealLane Lane, ushort Index, ulong Counter)
{
    /// <summary>True when the counter was read before.</summary>
    public bool WasRead => Lane switch
    {
        SealLane.Data => false,
        SealLane.Feedback => View.HasReadFeedback(Index, Counter),
        _ => Writer!.HasRead(Lane, Counter),
    };

    /// <summary>Marks the counter as read. The sequences of packets are marked by their streams.</summary>
    public void Mark()
    {
        if (Lane == SealLane.Data) return;
        if (Lane == SealLane.Feedback) View.MarkFeedback(Index, Counter);
        else Writer!.MarkRead(Lane, Counter);
    }
}
