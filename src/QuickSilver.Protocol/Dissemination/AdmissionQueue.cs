namespace QuickSilver.Protocol.Dissemination;

/// <summary>Messages of one group that are admitted and wait to be bound, in the order of their admission: a list through the messages themselves, so
/// it allocates nothing. A field of <see cref="GroupSender"/>, never copied. Core thread only.</summary>
internal struct AdmissionQueue
{
    private OutgoingMessage? _head;
    private OutgoingMessage? _tail;

    /// <summary>True when nothing waits.</summary>
    public readonly bool IsEmpty => _head is null;

    /// <summary>Messages that wait.</summary>
    public int Count { get; private set; }

    /// <summary>Their bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>Adds a message behind the others.</summary>
    public void Add(OutgoingMessage message)
    {
        if (_tail is null) _head = message;
        else _tail.Next = message;
        _tail = message;
        Count++;
        Bytes += message.Length;
    }

    /// <summary>Takes the first message; there must be one.</summary>
    public OutgoingMessage Take()
    {
        OutgoingMessage message = _head!;
        _head = message.Next;
        if (_head is null) _tail = null;
        message.Next = null;
        Count--;
        Bytes -= message.Length;
        return message;
    }

    /// <summary>True when one of a group's messages waits; with a ticket, the ticket's. O(messages that wait).</summary>
    public readonly bool Holds(GroupSender group, SendTicket? ticket)
    {
        for (OutgoingMessage? message = _head; message is not null; message = message.Next)
        {
            if (message.Is(group, ticket)) return true;
        }
        return false;
    }
}
