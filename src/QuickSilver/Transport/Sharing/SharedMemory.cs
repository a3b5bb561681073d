using System.Security.Cryptography;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// What a node shares with the others of its machine: its own segment, and theirs. A packet is written once, into the sender's segment, and read
/// there by all: the kernel carries only notes of where it lies.
/// <para>
/// Nothing depends on it. Where a segment cannot be made, opened, or has no block left, packets go by sockets as ever; whoever is not told so by a
/// false or null is told by a note that is refused. Others' memory is looked at with care: it is theirs, and they may be of another version, broken,
/// or gone.
/// </para>
/// Cost: <see cref="DefaultBlocks"/> blocks of 64 KiB of address space for each segment, and memory for those blocks of it that its owner has used.
/// Core thread only.
/// </summary>
internal sealed class SharedMemory : ISharedMemory, IDisposable
{
    /// <summary>Blocks of a node's segment: 64 MiB.</summary>
    public const int DefaultBlocks = 1024;

    /// <summary>Bytes of the shortest full packet worth a note, in a datagram of 4 KiB: of 1,372 bytes they are carried faster by the socket.</summary>
    public const int ShortestSlot = (4 << 10) - DatagramHeader.EncryptionReserve;

    private readonly OwnSegment _own;
    private readonly AttachedSegments _others;
    private readonly TransportCounters _counters;
    private BorrowedSegment? _last;
    private bool _isDisposed;

    /// <summary>Makes a node's part of a machine's shared memory.</summary>
    /// <param name="memory">Of its own segment; nobody has used it yet.</param>
    /// <param name="host">The machine.</param>
    /// <param name="counters">Where it counts.</param>
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

    /// <summary>The segments that it reads.</summary>
    public AttachedSegments Others => _others;

    /// <summary>Makes a segment in memory that processes share.</summary>
    /// <param name="counters">Where it counts.</param>
    /// <param name="reason">Why there is none.</param>
    /// <param name="blocks">Its blocks.</param>
    /// <returns>Null when the system does not give what it needs.</returns>
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
        // Notes come in trains, all of one segment.
        BorrowedSegment? segment = _last;
        if (segment is null || segment.Name.Key != note.Segment.Key || segment.HasLeft) _last = segment = _others.Find(note.Segment.Key);
        if (segment is not null && segment.TryBorrow(note.Place, out slice)) return true;
        slice = default;
        _counters.BorrowsRefused++;
        return false;
    }

    /// <summary>The node stops: others open its segment no more, and it leaves theirs. Chunks that are still out stay good.</summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        _last = null;
        _others.Clear();
        _own.Close();
    }
}
