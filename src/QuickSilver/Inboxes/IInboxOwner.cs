using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The handle that an inbox belongs to: hears what the inbox does with messages it has no room for. Core thread only,
/// unless a member says otherwise; must not throw.
/// </summary>
internal interface IInboxOwner
{
    /// <summary>The group's name. Any thread.</summary>
    string Name { get; }

    /// <summary>The object that the application knows as its handle. Only what is handed to applications makes a
    /// <see cref="Group"/> of it. Any thread.</summary>
    object Facade { get; }

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
