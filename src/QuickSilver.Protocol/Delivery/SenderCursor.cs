using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The progress of one session in a group with one sender: the receiver's position in the sender's message numbers.
/// </summary>
internal sealed class SenderCursor(GroupReceiver group, NodeInfo sender)
{
    public GroupReceiver Group { get; } = group;

    public NodeInfo Sender { get; } = sender;

    /// <summary>Receives the messages: the session's listener, kept here beside the position.</summary>
    public IDeliveryListener Listener { get; } = group.Listener;

    public ulong Key { get; } = sender.Number.Key;

    /// <summary>Number of the message that is delivered next; 0 while the cursor has not started.</summary>
    public ulong Next { get; set; }

    /// <summary>Messages that cannot be delivered yet; null when there are none.</summary>
    public ReorderBuffer? Held { get; set; }

    /// <summary>The sender is removed, and packets that may have held messages of this cursor were abandoned.</summary>
    public bool HasLostSome { get; set; }

    /// <summary>True once the session has ended, or the sender is closed: nothing more is delivered.</summary>
    public bool IsOver { get; set; }

    /// <summary>Those packets include the last ones.</summary>
    public bool HasLostTail { get; set; }

    /// <summary>
    /// True while a message of this cursor is being delivered: messages that become deliverable meanwhile wait for the
    /// end of the call.
    /// </summary>
    public bool IsDelivering { get; set; }
}
