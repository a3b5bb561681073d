using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The next few records of a packet, read before the first of them is delivered.
/// </summary>
/// <remarks>
/// Idea: with thousands of groups the cost of a message is that of waiting for memory: its cursor and its listener are
/// in no near cache. Here the loads of several groups overlap. The cursor is fetched when the record is read, the
/// listener when all records are, and what the listener needs when it is asked to prepare. Lives on the stack; room for
/// a handful, so that nothing fetched is displaced before its use.
/// </remarks>
internal struct MessagesAhead
{
    private const int Room = 8;
    private Records _records;
    private int _count;

    /// <summary>True when no record is here.</summary>
    public readonly bool IsEmpty => _count == 0;

    /// <summary>True when no further record fits.</summary>
    public readonly bool IsFull => _count == Room;

    /// <summary>Adds a record of whole messages.</summary>
    /// <param name="cursor">The cursor it is for.</param>
    /// <param name="record">The record.</param>
    public void Add(SenderCursor cursor, in PacketRecord record)
    {
        CacheLines.Fetch(cursor);
        _records[_count++] =
            new Entry(cursor, record.Number, record.BytesOffset, record.MessageLength, record.Count);
    }

    /// <summary>Delivers what is here, in the order in which it was added.</summary>
    /// <param name="order">Puts the messages into order.</param>
    /// <param name="datagram">The packet.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>The number of messages whose session the handler of a message before has closed.</returns>
    public ulong Deliver(ReorderStage order, in Slice datagram, Instant now)
    {
        ReadOnlySpan<Entry> entries = ((ReadOnlySpan<Entry>)_records)[.._count];
        if (entries.Length > 1)
        {
            foreach (ref readonly Entry entry in entries) CacheLines.Fetch(entry.Cursor.Listener);
            foreach (ref readonly Entry entry in entries) entry.Cursor.Listener.Prepare();
        }
        ulong closed = 0;
        foreach (ref readonly Entry entry in entries)
        {
            if (entry.Cursor.IsOver)
            {
                closed += (ulong)entry.Count;
                continue;
            }
            Slice first = datagram.Part(entry.Offset, entry.Length);
            order.OnWhole(
                entry.Cursor, new DeliveryBatch(entry.Number, first, entry.Count, entry.Length), now);
        }
        _count = 0;
        return closed;
    }

    private readonly record struct Entry(SenderCursor Cursor, ulong Number, int Offset, int Length, int Count);

    [InlineArray(Room)]
    private struct Records
    {
        private Entry _first;
    }
}
