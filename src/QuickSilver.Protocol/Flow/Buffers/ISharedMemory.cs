using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// Memory that the nodes of one machine read in place: this node's own segment, which it writes packets into, and the
/// segments of others that it has opened. A packet in a segment needs no copy, neither for sending nor for caching: a
/// note of its place is sent instead.
/// <para>
/// A block of a segment is reused only when its owner has released the chunk and no reader holds any part of it. A
/// reader that borrows a place after that is refused: the note came late, and the packet it named is stable. Core
/// thread only.
/// </para>
/// </summary>
internal interface ISharedMemory
{
    /// <summary>This node's own segment.</summary>
    SegmentName Segment { get; }

    /// <summary>
    /// Rises whenever a reader of this node's segment comes or goes. Cheap enough to read for every train.
    /// </summary>
    uint ReaderChanges { get; }

    /// <summary>True when a node has opened this node's segment.</summary>
    /// <param name="node">Its <see cref="NodeNumber.Key"/>.</param>
    bool IsReadBy(ulong node);

    /// <summary>
    /// Rents a chunk of this node's segment with one reference, of <see cref="BufferPool.ChunkBytes"/>; null when none
    /// is free.
    /// </summary>
    Chunk? TryRent(BufferOwner owner);

    /// <summary>
    /// Finds the place of a slice for other nodes: in this node's segment, or in one that is open here.
    /// </summary>
    /// <param name="slice">A slice of any chunk.</param>
    /// <param name="note">Its place.</param>
    /// <returns>False when the chunk belongs to no segment.</returns>
    bool TryLocate(in Slice slice, out NoteBody note);

    /// <summary>True when a node reads a segment: this node's own, or one that is open here.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="node">Its <see cref="NodeNumber.Key"/>.</param>
    bool IsReadBy(in SegmentName segment, ulong node);

    /// <summary>
    /// Opens another node's segment, or finds it open. The refusal may be permanent: another user's segment, or another
    /// container's.
    /// </summary>
    /// <param name="segment">The segment.</param>
    /// <param name="self">This node's <see cref="NodeNumber.Key"/>, by which the owner knows it.</param>
    /// <returns>True when places in it can be borrowed.</returns>
    bool TryAttach(in SegmentName segment, ulong self);

    /// <summary>Borrows the bytes at a place in an opened segment.</summary>
    /// <param name="note">The place.</param>
    /// <param name="slice">The bytes, with one reference: they stay unchanged until it is released.</param>
    /// <returns>False when the segment is not open here, the place does not exist, or the block has been reused
    /// since.</returns>
    bool TryBorrow(in NoteBody note, out Slice slice);
}
