using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// A node's own segment: blocks that it writes packets into, and uses again when neither it nor any reader holds them
/// (<see cref="SegmentControl"/> says how that is known).
/// <para>
/// A block that comes home and is held by nobody goes on top of the free ones, so that few blocks are used, and those are warm. One that readers
/// still hold waits in a ring; when no block is free, the oldest of the ring are looked at. A block that was never used is taken only when a few of
/// those are still held: memory grows with what readers hold, not with what was ever sent.
/// </para>
/// Awkward cases. A reader that was killed holds its blocks for ever: when there is nothing to give, or a reader wants a place and all are taken, the
/// readers' processes are looked at, once a second at most. A reader that is stopped or slow is left alone; there is no block then, and the caller
/// uses memory of its own. Chunks may be out when the node stops: memory stays until they come home or nobody can reach them.
/// Cost: an interlocked operation for each use of a block. Allocates a chunk object the first time that a block is used.
/// </summary>
internal sealed unsafe class OwnSegment : IChunkHome
{
    // Looks at blocks that readers held: before memory is touched that never was, and when there is nothing else.
    private const int FewLooks = 8;
    private const int ManyLooks = 64;
    private const int ReapPauseMilliseconds = 1000;

    private readonly SegmentMemory _memory;
    private readonly SegmentControl _control;
    private readonly ISegmentHost _host;
    private readonly TransportCounters _counters;
    private readonly Chunk?[] _chunks;
    private readonly int[] _free;
    private readonly int[] _lent;
    private int _freeCount;
    private int _lentFirst;
    private int _lentCount;
    private int _touched;
    private int _out;
    private long _reapAt = long.MinValue;
    private bool _isClosed;

    /// <summary>Makes a segment of memory that nobody has used yet.</summary>
    public OwnSegment(SegmentMemory memory, ISegmentHost host, TransportCounters counters)
    {
        _memory = memory;
        _control = memory.Control;
        _host = host;
        _counters = counters;
        _chunks = new Chunk?[memory.Blocks];
        _free = new int[memory.Blocks];
        _lent = new int[memory.Blocks];
    }

    /// <summary>Under which others find it.</summary>
    public SegmentName Name => _memory.Name;

    /// <summary>Rises when a reader has come, gone, or changed its key.</summary>
    public uint ReaderChanges => _control.ReaderChanges;

    /// <summary>Chunks that are not home.</summary>
    public int Outstanding => _out;

    /// <summary>Blocks that have ever been used: what the segment takes of the machine's memory.</summary>
    public int Touched => _touched;

    /// <summary>True when a node reads the segment.</summary>
    public bool IsReadBy(ulong node) => _control.IsReadBy(node);

    /// <summary>A chunk with one reference; null when no block is to be had.</summary>
    public Chunk? TryRent(BufferOwner owner)
    {
        if (_isClosed) return null;
        int block = Take();
        if (block < 0)
        {
            _counters.BlocksWanting++;
            return null;
        }
        Chunk chunk = _chunks[block] ??= new Chunk(this, _memory.Block(block), SegmentLayout.BlockBytes);
        chunk.Rented(owner);
        _out++;
        return chunk;
    }

    /// <summary>Where a part of one of the segment's chunks lies.</summary>
    public LentPlace Locate(Chunk chunk, int offset, int length)
    {
        int block = BlockOf(chunk);
        return new LentPlace((uint)block, _control.Generation(block), offset, length);
    }

    /// <summary>What lies at one of the segment's places.</summary>
    public ReadOnlySpan<byte> Peek(in LentPlace place) => new(_memory.Block((int)place.Block) + place.Offset, place.Length);

    /// <summary>The node stops.</summary>
    public void Close()
    {
        if (_isClosed) return;
        _isClosed = true;
        _control.Close();
        _memory.Close();
        if (_out == 0) _memory.Abandon();
    }

    void IChunkHome.Return(Chunk chunk)
    {
        int block = BlockOf(chunk);
        _out--;
        _control.Retire(block);
        if (_control.IsHeld(block)) AddLent(block);
        else _free[_freeCount++] = block;
        if (_isClosed && _out == 0) _memory.Abandon();
        // After the node's end a chunk may be all that leads here.
        GC.KeepAlive(this);
    }

    private int Take()
    {
        if (_control.IsWished && TryReap()) _control.IsWished = false;
        if (_freeCount > 0) return _free[--_freeCount];
        bool hasNew = _touched < _memory.Blocks;
        int block = TakeReturned(hasNew ? FewLooks : ManyLooks);
        if (block >= 0) return block;
        if (hasNew)
        {
            _control.Touched = _touched + 1;
            return _touched++;
        }
        return TryReap() ? TakeReturned(_lentCount) : -1;
    }

    private int TakeReturned(int looks)
    {
        for (int count = Math.Min(looks, _lentCount); count > 0; count--)
        {
            int block = _lent[_lentFirst];
            _lentFirst = _lentFirst + 1 == _lent.Length ? 0 : _lentFirst + 1;
            _lentCount--;
            if (!_control.IsHeld(block)) return block;
            AddLent(block);
        }
        return -1;
    }

    private void AddLent(int block)
    {
        int last = _lentFirst + _lentCount++;
        _lent[last < _lent.Length ? last : last - _lent.Length] = block;
    }

    // False when it was done a moment ago.
    private bool TryReap()
    {
        long now = _host.Milliseconds;
        if (now < _reapAt) return false;
        _reapAt = now + ReapPauseMilliseconds;
        for (int place = 0; place < SegmentLayout.Readers; place++)
        {
            if (!_control.TryGetReader(place, out ProcessMark reader) || _host.IsAlive(reader)) continue;
            _control.Leave(place, _memory.Blocks);
            _counters.ReadersLost++;
        }
        return true;
    }

    private int BlockOf(Chunk chunk) => _memory.BlockAt(Unsafe.AsPointer(ref MemoryMarshal.GetReference(chunk.GetSpan())));
}
