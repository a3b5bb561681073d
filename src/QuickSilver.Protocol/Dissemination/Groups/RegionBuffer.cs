using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The messages that are bound to one region view and not yet packed, in order, and the lanes that wait for room. Full
/// from the high mark until the low mark is reached, so that lanes are woken for a batch. Four trains are enough for
/// the socket never to wait for a group. The original had two marks as well, 150 and 50 messages; ours are in bytes.
/// <para>
/// Lanes that send to this view alone need no buffer: while no shared messages are bound here they are
/// <em>direct</em>, and the packer asks their sources itself.
/// </para>
/// </summary>
internal sealed class RegionBuffer
{
    private const int HighMark = 4 * Train.MaxBytes;
    private const int LowMark = HighMark / 2;

    // The approximate cost of a record in addition to the message's bytes; it also bounds the number of empty messages.
    private const int RecordCost = 16;

    private readonly RingQueue<BacklogEntry> _entries = new();
    private int _packedOfFirst;
    private int _shared;
    private long _elsewhere;

    /// <summary>What a message counts for in a buffer.</summary>
    public static int CostOf(OutgoingMessage message) => message.Length + RecordCost;

    /// <summary>Bytes of messages and records that are still to be packed.</summary>
    public long Bytes { get; private set; }

    /// <summary>True from the high mark on, until the low mark is reached.</summary>
    public bool IsFull { get; private set; }

    public bool IsEmpty => _entries.Count == 0;

    /// <summary>Messages in the buffer.</summary>
    public int Count => _entries.Count;

    /// <summary>An entry by its position, 0 for <see cref="First"/>.</summary>
    public BacklogEntry this[int index] => _entries[index];

    /// <summary>Lanes that wait for room, in order of arrival.</summary>
    public RingQueue<SendLane> Waiters { get; } = new();

    /// <summary>Lanes whose sources write straight into packets, in the order of their turns.</summary>
    public RingQueue<SendLane> Direct { get; } = new();

    /// <summary>True when lanes may be direct: nothing is bound that other regions share.</summary>
    public bool IsLeftToSources => _shared == 0;

    /// <summary>The entry to be packed next; part of it may be packed already.</summary>
    public BacklogEntry First => _entries.First;

    /// <summary>Bytes of the first entry that are packed here.</summary>
    public int PackedOfFirst => _packedOfFirst;

    /// <summary>True when the buffer holds a message of a group; with a ticket, the ticket's.</summary>
    public bool Holds(GroupLedger group, SendTicket? ticket)
    {
        for (int index = 0; index < _entries.Count; index++)
        {
            if (_entries[index].Message.Is(group, ticket)) return true;
        }
        return false;
    }

    public void Add(in BacklogEntry entry)
    {
        _entries.Enqueue(entry);
        if (entry.IsShared) _shared++;
        Bytes += entry.Message.Length - entry.Start + RecordCost;
        if (Bytes + _elsewhere >= HighMark) IsFull = true;
    }

    /// <summary>Counts a message that waits elsewhere, and fills this buffer.</summary>
    /// <param name="bytes">Its <see cref="CostOf"/>.</param>
    public void Hold(long bytes)
    {
        _elsewhere += bytes;
        if (Bytes + _elsewhere >= HighMark) IsFull = true;
    }

    /// <summary>Ends what <see cref="Hold"/> began.</summary>
    public void Free(long bytes)
    {
        _elsewhere -= bytes;
        System.Diagnostics.Debug.Assert(_elsewhere >= 0, "more freed than was held");
    }

    /// <summary>Counts a part of the first entry as packed.</summary>
    public void Advance(int bytes)
    {
        _packedOfFirst += bytes;
        Bytes -= bytes;
    }

    /// <summary>Removes the first entry, which is packed completely or given up.</summary>
    public void RemoveFirst()
    {
        BacklogEntry entry = _entries.Dequeue();
        if (entry.IsShared) _shared--;
        Bytes -= entry.Message.Length - entry.Start - _packedOfFirst + RecordCost;
        _packedOfFirst = 0;
    }

    /// <summary>Clears <see cref="IsFull"/> when the buffer has fallen to the low mark.</summary>
    /// <returns>True when that has changed.</returns>
    public bool FallsToLowMark()
    {
        if (!IsFull || Bytes + _elsewhere > LowMark) return false;
        IsFull = false;
        return true;
    }
}
