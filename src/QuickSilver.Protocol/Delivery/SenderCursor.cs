using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>Where one stay in a group stands with one sender: the receiver's place in the sender's message numbers.</summary>
internal sealed class SenderCursor(GroupReceiver group, NodeInfo sender)
{
    public GroupReceiver Group { get; } = group;

    public NodeInfo Sender { get; } = sender;

    public ulong Key { get; } = sender.Number.Key;

    /// <summary>Number of the message that is delivered next; 0 while the place has not started.</summary>
    public ulong Next { get; set; }

    /// <summary>Messages that cannot be delivered yet; null when there are none.</summary>
    public ReorderBuffer? Held { get; set; }

    /// <summary>The sender is removed, and packets that may have held messages of this place were abandoned.</summary>
    public bool HasLostSome { get; set; }

    /// <summary>Among them the last ones.</summary>
    public bool HasLostTail { get; set; }

    /// <summary>True while a message of this place is being delivered: what becomes deliverable in that call waits for its end.</summary>
    public bool IsDelivering { get; set; }
}
