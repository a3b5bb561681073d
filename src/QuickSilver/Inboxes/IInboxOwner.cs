using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>Who hears what an inbox does with messages it has no room for. Core thread only; must not throw.</summary>
internal interface IInboxOwner
{
    /// <summary>The key of a message that is about to be stored, under <see cref="OverflowPolicy.KeepLatestByKey"/>; null when the selector threw:
    /// then the message replaces nothing, and nothing replaces it.</summary>
    ulong? ReadKey(in DeliveredMessage message);

    /// <summary>A message was dropped: by policy, or because nobody has read yet.</summary>
    void OnDropped(NodeInfo sender, LossReason reason);

    /// <summary>The inbox was full under <see cref="OverflowPolicy.FailGroup"/> and takes nothing more; the handle is to be failed, later than in
    /// this call.</summary>
    /// <param name="backlog">Unread messages.</param>
    /// <param name="leasedBytes">Bytes of leases that have not been disposed of.</param>
    void OnOverflow(long backlog, long leasedBytes);
}
