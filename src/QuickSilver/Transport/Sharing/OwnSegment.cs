using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// A node's own segment: blocks that it writes packets into, and reuses when neither it nor any reader holds them
/// (<see cref="SegmentControl"/> has the protocol). Core thread only.
/// <para>
/// A returned block without holders goes on top of the free blocks, so that few blocks are used, and those are in the
/// cache. A block with holders waits in a ring; when no block is free, the oldest of the ring are checked. An unused
/// block is taken only when a few of those are still held. Memory thus grows with the blocks that readers hold, not
/// with the bytes sent.
/// </para>
/// Awkward cases. A killed reader holds its blocks for ever. When no block is free, or a reader finds no free place,
/// the processes of the readers are checked, at most once a second. A stopped or slow reader keeps its blocks; the
/// caller then uses its own memory. Chunks may be in use when the node stops: the memory stays until they are returned
/// or unreachable. Cost: an interlocked operation for each use of a block. Allocates a chunk object at the first use of
/// a block.
/// </summary>
internal sealed unsafe class OwnSegment : IChunkHome
{
    // Checks of blocks that readers held: before an unused block is touched, and when no other block is left.
    private const int FewChecks = 8;
    private const int ManyChecks = 64;
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

    /// <summary>Creates a segment of unused memory.</summary>
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

    /// <summary>The name under which others open the segment.</summary>
    public SegmentName Name => _memory.Name;

    /// <summary>A counter that rises when a reader attaches, leaves, or changes its key.</summary>
    public uint ReaderChanges => _control.ReaderChanges;

    /// <summary>The number of rented chunks not yet returned.</summary>
    public int Outstanding => _out;

    /// <summary>The number of blocks ever used, which is the segment's use of memory.</summary>
    public int Touched => _touched;

    /// <summary>True when a node is a reader of the segment.</summary>
    public bool IsReadBy(ulong node) => _control.IsReadBy(node);

    /// <summary>Rents a chunk with one reference; null when no block is free.</summary>
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

    /// <summary>Returns the place of a part of one of the segment's chunks.</summary>
    public LentPlace Locate(Chunk chunk, int offset, int length)
    {
        int block = BlockOf(chunk);
        return new LentPlace((uint)block, _control.Generation(block), offset, length);
    }

    /// <summary>Returns the bytes at one of the segment's places.</summary>
    public ReadOnlySpan<byte> Peek(in LentPlace place) =>
        new(_memory.Block((int)place.Block) + place.Offset, place.Length);

    /// <summary>Closes the segment when the node stops; rented chunks stay valid.</summary>
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
        // After the node's end a chunk may hold the only reference to this object.
        GC.KeepAlive(this);
    }

    private int Take()
    {
        if (_control.IsWished && TryReap()) _control.IsWished = false;
        if (_freeCount > 0) return _free[--_freeCount];
        bool hasNew = _touched < _memory.Blocks;
        int block = TakeReturned(hasNew ? FewChecks : ManyChecks);
        if (block >= 0) return block;
        if (hasNew)
        {
            _control.Touched = _touched + 1;
            return _touched++;
        }
        return TryReap() ? TakeReturned(_lentCount) : -1;
    }

    private int TakeReturned(int checks)
    {
        for (int count = Math.Min(checks, _lentCount); count > 0; count--)
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

    // Releases the places of dead readers; false when that was done less than a second ago.
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

    private int BlockOf(Chunk chunk) =>
        _memory.BlockAt(Unsafe.AsPointer(ref MemoryMarshal.GetReference(chunk.GetSpan())));
}
