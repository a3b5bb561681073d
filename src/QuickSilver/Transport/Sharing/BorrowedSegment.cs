using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Another node's segment, read in place. This reader's bit holds a block from the first borrowed packet of it until
/// the last is released. Borrowing further packets meanwhile only adds references to the same chunk. Core thread only.
/// <para>
/// Awkward cases. A reader that holds many blocks would leave the owner without any: a reader of half the blocks gets
/// copies instead. A held block keeps its generation; a note with another generation is late or forged, and is refused.
/// An application's leases may keep chunks beyond the node's end. The place is then released when the last chunk is
/// returned, or when the memory is unreachable.
/// </para>
/// Cost: two interlocked operations for each block held. Allocates a chunk object the first time that a block is
/// borrowed.
/// </summary>
internal sealed unsafe class BorrowedSegment : IChunkHome
{
    private readonly SegmentMemory _memory;
    private readonly SegmentControl _control;
    private readonly CopyChunks _copies;
    private readonly TransportCounters _counters;
    private readonly Chunk?[] _chunks;
    private readonly uint[] _generations;
    private readonly int _place;
    private ulong _self;

    /// <summary>Starts to read a segment.</summary>
    /// <param name="memory">The segment's memory.</param>
    /// <param name="place">This reader's place, already claimed.</param>
    /// <param name="self">The key of this node, for which it was claimed.</param>
    /// <param name="copies">Provides memory for copies.</param>
    /// <param name="counters">The counters of the transport.</param>
    public BorrowedSegment(SegmentMemory memory, int place, ulong self, CopyChunks copies, TransportCounters counters)
    {
        _memory = memory;
        _control = memory.Control;
        _place = place;
        _self = self;
        _copies = copies;
        _counters = counters;
        _chunks = new Chunk?[memory.Blocks];
        _generations = new uint[memory.Blocks];
        memory.Occupy(place);
    }

    /// <summary>The name under which the segment was opened.</summary>
    public SegmentName Name => _memory.Name;

    /// <summary>The process of the owner.</summary>
    public ProcessMark Owner => _memory.Owner;

    /// <summary>True when the owner has closed the segment.</summary>
    public bool IsClosed => _control.IsClosed;

    /// <summary>The number of blocks held.</summary>
    public int Held { get; private set; }

    /// <summary>True when no more packets are borrowed; held blocks stay readable.</summary>
    public bool HasLeft { get; private set; }

    /// <summary>True when a node, this one or another, is a reader of the segment.</summary>
    public bool IsReadBy(ulong node) => _control.IsReadBy(node);

    /// <summary>Updates the key of this node, if it has changed.</summary>
    public void Rename(ulong self)
    {
        if (self == _self) return;
        _self = self;
        _control.Rename(_place, self);
    }

    /// <summary>Borrows the bytes at a place, which is not trusted.</summary>
    /// <returns>False when the place is invalid, or its block has been reused.</returns>
    public bool TryBorrow(in LentPlace place, out Slice slice)
    {
        slice = default;
        if (place.Block >= (uint)_chunks.Length || !IsInside(place)) return false;
        int block = (int)place.Block;
        Chunk? chunk = _chunks[block];
        if (chunk is { References: > 0 })
        {
            if (_generations[block] != place.Generation) return false;
            chunk.Retain();
        }
        else
        {
            if (Held >= (_chunks.Length + 1) / 2) return TryCopy(place, out slice);
            if (!_control.TryHold(block, place.Generation, _place)) return false;
            chunk ??= _chunks[block] = new Chunk(this, _memory.Block(block), SegmentLayout.BlockBytes);
            chunk.Rented(BufferOwner.Cache);
            _generations[block] = place.Generation;
            Held++;
            _counters.BlocksBorrowed++;
        }
        _counters.PacketsBorrowed++;
        slice = new Slice(chunk, place.Offset, place.Length);
        return true;
    }

    /// <summary>Returns the place of a part of a held chunk.</summary>
    public LentPlace Locate(Chunk chunk, int offset, int length)
    {
        int block = BlockOf(chunk);
        return new LentPlace((uint)block, _generations[block], offset, length);
    }

    /// <summary>Stops borrowing, and releases the place as soon as no block is held.</summary>
    public void Leave()
    {
        HasLeft = true;
        if (Held == 0) GiveUp();
    }

    void IChunkHome.Return(Chunk chunk)
    {
        _control.LetGo(BlockOf(chunk), _place);
        Held--;
        if (HasLeft && Held == 0) GiveUp();
        // After the node's end a chunk may hold the only reference to this object.
        GC.KeepAlive(this);
    }

    private static bool IsInside(in LentPlace place) =>
        place is { Offset: >= 0, Length: > 0 } && (long)place.Offset + place.Length <= SegmentLayout.BlockBytes;

    private bool TryCopy(in LentPlace place, out Slice slice)
    {
        int block = (int)place.Block;
        slice = default;
        if (_control.Generation(block) != place.Generation) return false;
        Slice copy = _copies.Rent(place.Length);
        new ReadOnlySpan<byte>(_memory.Block(block) + place.Offset, place.Length).CopyTo(copy.Span);
        Interlocked.MemoryBarrier();
        if (_control.Generation(block) != place.Generation)
        {
            copy.Release();
            return false;
        }
        _counters.BorrowsCopied++;
        slice = copy;
        return true;
    }

    private void GiveUp()
    {
        _memory.Occupy(-1);
        _control.Leave(_place, 0);
        _memory.Abandon();
    }

    private int BlockOf(Chunk chunk) =>
        _memory.BlockAt(Unsafe.AsPointer(ref MemoryMarshal.GetReference(chunk.GetSpan())));
}
