namespace QuickSilver.Protocol.Dissemination;

/// <summary>Messages of one stream that are packed and not yet known stable, oldest first, each with the packet that ends it. Allocates only to grow.
/// Core thread only.</summary>
internal sealed class SentMessages
{
    private readonly RingQueue<(OutgoingMessage Message, ulong LastSequence)> _messages = new();

    /// <summary>The last byte of a message is in a packet.</summary>
    public void Add(OutgoingMessage message, ulong lastSequence) => _messages.Enqueue((message, lastSequence));

    /// <summary>Takes the oldest message if a packet up to a sequence ends it.</summary>
    public bool TryTake(ulong sequence, out OutgoingMessage message)
    {
        bool any = _messages.Count > 0 && _messages.First.LastSequence <= sequence;
        message = any ? _messages.Dequeue().Message : null!;
        return any;
    }

    /// <summary>True when one of a group's messages is here; with a ticket, the ticket's. O(messages).</summary>
    public bool Holds(GroupSender group, SendTicket? ticket)
    {
        for (int index = 0; index < _messages.Count; index++)
        {
            if (_messages[index].Message.Is(group, ticket)) return true;
        }
        return false;
    }
}
