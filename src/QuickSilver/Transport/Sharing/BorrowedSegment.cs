using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Another node's segment, read in place. A block is held, by this reader's bit, from the first packet of it that is borrowed until the last is
/// released; in between borrowing another packet of it is adding a reference to one and the same chunk.
/// <para>
/// Awkward cases. A reader that keeps much would leave the owner without blocks: who holds half of them borrows no more, and gets copies. A block
/// that is held is of the generation it was held for; a note of another comes from nobody honest, or is late, and is refused. Leases of an
/// application may keep chunks beyond the node's end: the place is given up when the last comes home, or by the memory when nobody can reach it any
/// more.
/// </para>
/// Cost: two interlocked operations for each block held. Allocates a chunk object the first time that a block is borrowed.
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

    /// <summary>Begins to read a segment.</summary>
    /// <param name="memory">The segment's memory.</param>
    /// <param name="place">This reader's place, which has been claimed.</param>
    /// <param name="self">The key that it was claimed for.</param>
    /// <param name="copies">Where copies go.</param>
    /// <param name="counters">Where it counts.</param>
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

    /// <summary>The name that it was found under.</summary>
    public SegmentName Name => _memory.Name;

    /// <summary>The owner's process.</summary>
    public ProcessMark Owner => _memory.Owner;

    /// <summary>True when the owner has said that it goes.</summary>
    public bool IsClosed => _control.IsClosed;

    /// <summary>Blocks held.</summary>
    public int Held { get; private set; }

    /// <summary>True when it is read no more, but for what is still held.</summary>
    public bool HasLeft { get; private set; }

    /// <summary>True when a node, this one or another, reads the segment.</summary>
    public bool IsReadBy(ulong node) => _control.IsReadBy(node);

    /// <summary>This node is known by another key now, or by the same.</summary>
    public void Rename(ulong self)
    {
        if (self == _self) return;
        _self = self;
        _control.Rename(_place, self);
    }

    /// <summary>What lies at a place; the place may be anything.</summary>
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

    /// <summary>Where a part of one of the chunks that are held lies.</summary>
    public LentPlace Locate(Chunk chunk, int offset, int length)
    {
        int block = BlockOf(chunk);
        return new LentPlace((uint)block, _generations[block], offset, length);
    }

    /// <summary>Borrows no more, and gives the place up as soon as nothing is held.</summary>
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
        // After the node's end a chunk may be all that leads here.
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

    private int BlockOf(Chunk chunk) => _memory.BlockAt(Unsafe.AsPointer(ref MemoryMarshal.GetReference(chunk.GetSpan())));
}
