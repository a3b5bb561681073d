using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// Memory that the nodes of one machine read in place: this node's own segment, which it writes packets into, and others' segments, which it has
/// opened. A packet that lies in a segment needs no copy, neither on its way nor where it is kept: a note of its place is sent instead.
/// <para>
/// A block of a segment is used again only when its owner has released the chunk and no reader holds any part of it. A reader that is lent a place
/// after that is told that it is not there any more: the note came late, and what it named is stable. Core thread only.
/// </para>
/// </summary>
public interface ISharedMemory
{
    /// <summary>This node's own segment.</summary>
    SegmentName Segment { get; }

    /// <summary>Rises whenever a reader of the own segment comes or goes. Cheap enough for every train.</summary>
    uint ReaderChanges { get; }

    /// <summary>True when a node has opened the own segment.</summary>
    /// <param name="node">Its <see cref="NodeNumber.Key"/>.</param>
    bool IsReadBy(ulong node);

    /// <summary>A chunk of the own segment with one reference, of <see cref="BufferPool.ChunkBytes"/>; null when none is free.</summary>
    Chunk? TryRent(BufferOwner owner);

    /// <summary>Where something lies, for others: in the own segment, or in one that was opened.</summary>
    /// <param name="slice">What a chunk of a segment holds.</param>
    /// <param name="note">Where it lies.</param>
    /// <returns>False when its chunk is of no segment.</returns>
    bool TryLocate(in Slice slice, out NoteBody note);

    /// <summary>True when a node reads a segment: the own one, or one that is open here.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="node">Its <see cref="NodeNumber.Key"/>.</param>
    bool IsReadBy(in SegmentName segment, ulong node);

    /// <summary>Opens another node's segment, or finds it open. May fail for good: another user's, another container's.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="self">This node's <see cref="NodeNumber.Key"/>, by which the owner knows it.</param>
    /// <returns>True when places in it can be borrowed.</returns>
    bool TryAttach(in SegmentName segment, ulong self);

    /// <summary>What lies at a place in an opened segment.</summary>
    /// <param name="note">The place.</param>
    /// <param name="slice">The bytes, with one reference: they stay as they are until it is released.</param>
    /// <returns>False when the segment is not open here, there is no such place, or the block has been used for something else since.</returns>
    bool TryBorrow(in NoteBody note, out Slice slice);
}
