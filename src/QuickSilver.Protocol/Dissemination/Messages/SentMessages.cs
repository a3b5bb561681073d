using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// Messages of one stream that are packed and not yet known stable, oldest first, each with the packet that ends it.
/// <para>
/// Messages without a ticket that no other stream carries are only counted, and kept as batches: one entry for those of
/// a group in a packet. Their records are free again as soon as they are packed. So a few records, still in the
/// processor's cache, serve any number of messages in flight; and feedback settles a packet's messages in one step.
/// </para>
/// <para>
/// Cost: O(1) for each. Allocates only to grow. Core thread only.
/// </para>
/// </summary>
internal sealed class SentMessages
{
    private readonly RingQueue<SentBatch> _batches = new();

    /// <summary>How many of the messages have a ticket.</summary>
    public int Tickets { get; private set; }

    /// <summary>Adds a message whose last byte is in a packet, and whose record is kept until it is stable.</summary>
    public void Add(OutgoingMessage message, ulong lastSequence)
    {
        if (message.Ticket is not null) Tickets++;
        _batches.Enqueue(new SentBatch
        {
            LastSequence = lastSequence,
            Message = message,
            Group = message.Group,
            FirstOrdinal = message.Ordinal,
            Count = 1,
            Bytes = message.Length,
        });
    }

    /// <summary>
    /// Counts a message whose last byte is in a packet, and of which only number and length matter from now on.
    /// </summary>
    public void Count(OutgoingMessage message, ulong lastSequence) =>
        Count(message.Group, message.Ordinal, 1, message.Length, lastSequence);

    /// <summary>
    /// Counts a group's messages, taken one after the other, whose last bytes are in a packet. Only their numbers and
    /// lengths matter from now on.
    /// </summary>
    public void Count(GroupLedger group, ulong firstOrdinal, int count, long bytes, ulong lastSequence)
    {
        if (_batches.Count > 0 && _batches.Last.IsContinuedBy(group, firstOrdinal, lastSequence))
        {
            ref SentBatch batch = ref _batches.Last;
            batch.Count += count;
            batch.Bytes += bytes;
            return;
        }
        _batches.Enqueue(new SentBatch
        {
            LastSequence = lastSequence,
            Group = group,
            FirstOrdinal = firstOrdinal,
            Count = count,
            Bytes = bytes,
        });
    }

    /// <summary>Takes the oldest messages if a packet up to a sequence ends them.</summary>
    public bool TryTake(ulong sequence, out SentBatch batch)
    {
        bool any = _batches.Count > 0 && _batches.First.LastSequence <= sequence;
        batch = any ? _batches.Dequeue() : default;
        if (batch.Message?.Ticket is not null) Tickets--;
        return any;
    }

    /// <summary>True when one of a group's messages is here; with a ticket, the ticket's. O(messages).</summary>
    public bool Holds(GroupLedger group, SendTicket? ticket)
    {
        for (int index = 0; index < _batches.Count; index++)
        {
            SentBatch batch = _batches[index];
            if (batch.Group == group && (ticket is null || batch.Message?.Ticket == ticket)) return true;
        }
        return false;
    }
}
