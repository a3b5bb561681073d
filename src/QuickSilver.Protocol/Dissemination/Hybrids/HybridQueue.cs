using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;

namespace QuickSilver.Protocol.Dissemination.Hybrids;

/// <summary>
/// One group's messages that wait for a hybrid packet, in the order of their numbers. O(1) a message; allocates only to
/// grow.
/// </summary>
internal sealed class HybridQueue
{
    private readonly RingQueue<OutgoingMessage> _messages = new();
    private long _bytes;

    public bool IsEmpty => _messages.Count == 0;

    public int Count => _messages.Count;

    /// <summary>Bytes of the first message that are packed already.</summary>
    public int PackedOfFirst { get; private set; }

    /// <summary>Bytes not yet packed, with the cost of the records.</summary>
    public long Bytes => _bytes - PackedOfFirst;

    /// <summary>
    /// Where lanes wait while the group's messages fill it, by the marks of a region's buffer. It holds no messages.
    /// </summary>
    public RegionBuffer Line { get; } = new();

    public OutgoingMessage First => _messages.First;

    public OutgoingMessage this[int index] => _messages[index];

    public void Add(OutgoingMessage message)
    {
        _messages.Enqueue(message);
        int cost = RegionBuffer.CostOf(message);
        _bytes += cost;
        Line.Hold(cost);
    }

    public void Advance(int bytes) => PackedOfFirst += bytes;

    /// <summary>Removes the first message, whose last byte is packed.</summary>
    public void RemoveFirst()
    {
        int cost = RegionBuffer.CostOf(_messages.Dequeue());
        _bytes -= cost;
        Line.Free(cost);
        PackedOfFirst = 0;
    }

    public void Clear()
    {
        while (_messages.Count > 0) RemoveFirst();
    }

    /// <summary>True when a message of a group waits; with a ticket, the ticket's. O(messages).</summary>
    public bool Holds(GroupLedger group, SendTicket? ticket)
    {
        for (int index = 0; index < _messages.Count; index++)
        {
            if (_messages[index].Is(group, ticket)) return true;
        }
        return false;
    }

    /// <summary>Adds all messages to one region's buffer, from the first byte that is not packed.</summary>
    public void SpillTo(in HybridPart part)
    {
        for (int index = 0; index < _messages.Count; index++)
        {
            if (index == 0 && PackedOfFirst > 0)
                part.Messages.AppendRest(_messages[0], part.GroupIndex, PackedOfFirst, part.IsFirst);
            else part.Messages.Append(_messages[index], part.GroupIndex, isShared: true);
        }
    }

    /// <summary>Counts all messages as sent and stable in one stream.</summary>
    public void DropFor(StreamMessages stream, Instant now)
    {
        for (int index = 0; index < _messages.Count; index++) stream.DropUnsent(_messages[index], now);
    }
}
