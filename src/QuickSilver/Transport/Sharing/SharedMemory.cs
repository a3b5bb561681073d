using System.Security.Cryptography;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The memory that a node shares with the others of its machine: its own segment, and theirs. A packet is written once,
/// into the sender's segment, and all receivers read it there. The kernel carries only notes of its place.
/// <para>
/// Nothing depends on it. When a segment cannot be created or opened, or has no free block, packets use sockets. A
/// caller learns that from a result of false or null, a sender from a refused note. Others' memory is not trusted: its
/// owner may have another version, be faulty, or have ended.
/// </para>
/// Cost: <see cref="DefaultBlocks"/> blocks of 64 KiB of address space for each segment, and memory for the blocks that
/// its owner has used. Core thread only.
/// </summary>
internal sealed class SharedMemory : ISharedMemory, IDisposable
{
    /// <summary>The number of blocks of a node's segment: 64 MiB.</summary>
    public const int DefaultBlocks = 1024;

    /// <summary>The shortest full packet worth a note, in bytes, of a datagram of 4 KiB; a socket carries packets of
    /// 1,372 bytes faster.</summary>
    public const int ShortestSlot = (4 << 10) - DatagramHeader.EncryptionReserve;

    private readonly OwnSegment _own;
    private readonly AttachedSegments _others;
    private readonly TransportCounters _counters;
    private BorrowedSegment? _last;
    private bool _isDisposed;

    /// <summary>Creates a node's part of a machine's shared memory.</summary>
    /// <param name="memory">The unused memory of its own segment.</param>
    /// <param name="host">The services of the machine.</param>
    /// <param name="counters">The counters of the transport.</param>
    public SharedMemory(SegmentMemory memory, ISegmentHost host, TransportCounters counters)
    {
        _own = new OwnSegment(memory, host, counters);
        _others = new AttachedSegments(host, counters);
        _counters = counters;
    }

    /// <inheritdoc/>
    public SegmentName Segment => _own.Name;

    /// <inheritdoc/>
    public uint ReaderChanges => _own.ReaderChanges;

    /// <summary>The node's own segment.</summary>
    public OwnSegment Own => _own;

    /// <summary>The segments that the node reads.</summary>
    public AttachedSegments Others => _others;

    /// <summary>Creates a segment in memory that processes share.</summary>
    /// <param name="counters">The counters of the transport.</param>
    /// <param name="reason">The reason of a failure; otherwise empty.</param>
    /// <param name="blocks">The number of blocks.</param>
    /// <returns>The shared memory; null when the system refuses a resource.</returns>
    public static SharedMemory? TryCreate(TransportCounters counters, out string reason, int blocks = DefaultBlocks)
    {
        if (LinuxSegments.TryFind(out reason) is not { } host) return null;
        Span<byte> key = stackalloc byte[sizeof(ulong)];
        RandomNumberGenerator.Fill(key);
        SegmentMemory? memory = host.TryMake(BitConverter.ToUInt64(key), blocks, out reason);
        return memory is null ? null : new SharedMemory(memory, host, counters);
    }

    /// <inheritdoc/>
    public bool IsReadBy(ulong node) => _own.IsReadBy(node);

    /// <inheritdoc/>
    public bool IsReadBy(in SegmentName segment, ulong node) =>
        segment.Key == Segment.Key ? _own.IsReadBy(node) : _others.Find(segment.Key)?.IsReadBy(node) ?? false;

    /// <inheritdoc/>
    public Chunk? TryRent(BufferOwner owner) => _own.TryRent(owner);

    /// <inheritdoc/>
    public bool TryLocate(in Slice slice, out NoteBody note)
    {
        switch (slice.Chunk?.Home)
        {
            case OwnSegment own:
                note = new NoteBody(own.Name, own.Locate(slice.Chunk, slice.Offset, slice.Length));
                return true;
            case BorrowedSegment borrowed:
                note = new NoteBody(borrowed.Name, borrowed.Locate(slice.Chunk, slice.Offset, slice.Length));
                return true;
            default:
                note = default;
                return false;
        }
    }

    /// <inheritdoc/>
    public bool TryAttach(in SegmentName segment, ulong self) =>
        !_isDisposed && segment.Key != Segment.Key && _others.TryAttach(segment, self);

    /// <inheritdoc/>
    public bool TryBorrow(in NoteBody note, out Slice slice)
    {
        // Notes arrive in trains of one segment, so that the last segment is usually the right one.
        BorrowedSegment? segment = _last;
        if (segment is null || segment.Name.Key != note.Segment.Key || segment.HasLeft)
            _last = segment = _others.Find(note.Segment.Key);
        if (segment is not null && segment.TryBorrow(note.Place, out slice)) return true;
        slice = default;
        _counters.BorrowsRefused++;
        return false;
    }

    /// <summary>Closes the node's segment to others, and leaves theirs. Chunks not yet returned stay valid.</summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        _last = null;
        _others.Clear();
        _own.Close();
    }
}
