using QuickSilver.Protocol.Dissemination.Groups;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// Messages of one stream that are packed and not yet known stable, oldest first, each with the packet that ends it.
/// <para>
/// Messages that only count, because no ticket is to be told and no other stream carries them, are kept as runs: one entry for those of a group in a
/// packet. Their records are free again as soon as they are packed, so that a few records, still in the processor's cache, serve any number of
/// messages in flight; and feedback settles a packet's messages in one step.
/// </para>
/// Cost: O(1) for each. Allocates only to grow. Core thread only.
/// </summary>
internal sealed class SentMessages
{
    private readonly RingQueue<SentBatch> _runs = new();

    /// <summary>How many of the messages have a ticket.</summary>
    public int Tickets { get; private set; }

    /// <summary>The last byte of a message is in a packet, and its record is kept until it is stable.</summary>
    public void Add(OutgoingMessage message, ulong lastSequence)
    {
        if (message.Ticket is not null) Tickets++;
        _runs.Enqueue(new SentBatch
        {
            LastSequence = lastSequence,
            Message = message,
            Group = message.Group,
            FirstOrdinal = message.Ordinal,
            Count = 1,
            Bytes = message.Length,
        });
    }

    /// <summary>The last byte of a message is in a packet, and nothing but its number and length matters from now on.</summary>
    public void Count(OutgoingMessage message, ulong lastSequence) =>
        Count(message.Group, message.Ordinal, 1, message.Length, lastSequence);

    /// <summary>The last bytes of a group's messages, taken one after the other, are in a packet,
    /// and only their numbers and lengths matter from now on.</summary>
    public void Count(GroupSender group, ulong firstOrdinal, int count, long bytes, ulong lastSequence)
    {
        if (_runs.Count > 0 && _runs.Last.IsContinuedBy(group, firstOrdinal, lastSequence))
        {
            ref SentBatch run = ref _runs.Last;
            run.Count += count;
            run.Bytes += bytes;
            return;
        }
        _runs.Enqueue(new SentBatch { LastSequence = lastSequence, Group = group, FirstOrdinal = firstOrdinal, Count = count, Bytes = bytes });
    }

    /// <summary>Takes the oldest messages if a packet up to a sequence ends them.</summary>
    public bool TryTake(ulong sequence, out SentBatch run)
    {
        bool any = _runs.Count > 0 && _runs.First.LastSequence <= sequence;
        run = any ? _runs.Dequeue() : default;
        if (run.Message?.Ticket is not null) Tickets--;
        return any;
    }

    /// <summary>True when one of a group's messages is here; with a ticket, the ticket's. O(messages).</summary>
    public bool Holds(GroupSender group, SendTicket? ticket)
    {
        for (int index = 0; index < _runs.Count; index++)
        {
            SentBatch run = _runs[index];
            if (run.Group == group && (ticket is null || run.Message?.Ticket == ticket)) return true;
        }
        return false;
    }
}
