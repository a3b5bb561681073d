using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The handle that an inbox belongs to. The inbox reports the messages for which it has no room. Core thread only,
/// unless a member says otherwise; must not throw.
/// </summary>
internal interface IInboxOwner
{
    /// <summary>Name of the group. Any thread.</summary>
    string Name { get; }

    /// <summary>The application's object for this handle; null if there is none. <see cref="Group.Of"/> knows its
    /// type. Any thread.</summary>
    object? Facade { get; }

    /// <summary>Returns the key of a message that is about to be stored, where messages have keys
    /// (<see cref="GroupOptions.Key"/>). Null if the selector threw: the message then replaces nothing, and nothing
    /// replaces it.</summary>
    ulong? ReadKey(in DeliveredMessage message);

    /// <summary>Reports a message that was dropped, by policy or because no reader has started.</summary>
    void OnDropped(NodeInfo sender, LossReason reason);

    /// <summary>Reports that the inbox was full under <see cref="OverflowPolicy.FailGroup"/> and takes no more
    /// messages. The handle must fail, but not within this call.</summary>
    /// <param name="backlog">Number of unread messages.</param>
    /// <param name="bytes">Bytes of unread messages and of undisposed leases.</param>
    /// <param name="leasedBytes">Bytes of undisposed leases.</param>
    void OnOverflow(long backlog, long bytes, long leasedBytes);
}
