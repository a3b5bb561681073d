using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

/// <summary>
/// A node's shared memory in arrays: so many blocks, readers that come and go when the test says so, and others'
/// segments within reach. A block's generation rises when it is returned, even if parts of it are held: the test sees
/// to that. Allocates nothing once it is made, but for readers.
/// </summary>
internal sealed class SharedMemoryStub : ISharedMemory, IChunkHome
{
    private readonly Chunk[] _chunks;
    private readonly byte[][] _arrays;
    private readonly uint[] _generations;
    private readonly Stack<int> _free;
    private readonly HashSet<ulong> _readers = [];
    private readonly Dictionary<ulong, Borrowed> _open = [];

    public SharedMemoryStub(int blocks, ulong key = 0xF00D)
    {
        Segment = new SegmentName(key, 77, 5);
        _arrays = [
            .. Enumerable.Range(0, blocks)
            .Select(static _ => GC.AllocateArray<byte>(BufferPool.ChunkBytes, pinned: true))];
        _chunks = [.. _arrays.Select(array => new Chunk(this, array))];
        _generations = new uint[blocks];
        _free = new Stack<int>(Enumerable.Range(0, blocks).Reverse());
    }

    public SegmentName Segment { get; }

    public uint ReaderChanges { get; private set; } = 1;

    /// <summary>Chunks of the own segment that are not home.</summary>
    public int Outstanding => _chunks.Length - _free.Count;

    /// <summary>Segments that can be opened.</summary>
    public List<SharedMemoryStub> Reachable { get; } = [];

    /// <summary>How often it was told to open one, and for which node.</summary>
    public List<(SegmentName Segment, ulong Self)> Attaches { get; } = [];

    /// <summary>References to parts of others' segments.</summary>
    public int References => _open.Values.Sum(static borrowed => borrowed.References);

    /// <summary>How often a reader's name was asked for.</summary>
    public int ReadersAsked { get; private set; }

    public void Open(params ReadOnlySpan<ulong> readers)
    {
        foreach (ulong reader in readers) _readers.Add(reader);
        ReaderChanges++;
    }

    public void Leave(ulong reader)
    {
        _readers.Remove(reader);
        ReaderChanges++;
    }

    public bool IsReadBy(ulong node)
    {
        ReadersAsked++;
        return _readers.Contains(node);
    }

    public bool IsReadBy(in SegmentName segment, ulong node)
    {
        if (segment == Segment) return IsReadBy(node);
        SegmentName wanted = segment;
        return Reachable.Find(other => other.Segment == wanted) is { } other && _open.ContainsKey(wanted.Key)
            && other.IsReadBy(node);
    }

    public Chunk? TryRent(BufferOwner owner)
    {
        if (!_free.TryPop(out int block)) return null;
        _chunks[block].Rented(owner);
        return _chunks[block];
    }

    public bool TryLocate(in Slice slice, out NoteBody note)
    {
        int block = slice.Chunk is null ? -1 : Array.IndexOf(_chunks, slice.Chunk);
        note = block < 0
            ? default
            : new NoteBody(Segment, new LentPlace((uint)block, _generations[block], slice.Offset, slice.Length));
        return block >= 0;
    }

    public bool TryAttach(in SegmentName segment, ulong self)
    {
        Attaches.Add((segment, self));
        SegmentName wanted = segment;
        if (Reachable.Find(other => other.Segment == wanted) is not { } other) return false;
        if (!_open.ContainsKey(segment.Key)) _open.Add(segment.Key, new Borrowed(other));
        other.Open(self);
        return true;
    }

    public bool TryBorrow(in NoteBody note, out Slice slice)
    {
        slice = default;
        return _open.TryGetValue(note.Segment.Key, out Borrowed? borrowed) && borrowed.TryBorrow(note.Place, out slice);
    }

    /// <summary>The bytes at a place of the own segment, as they are now.</summary>
    public Span<byte> At(in LentPlace place) => _arrays[place.Block].AsSpan(place.Offset, place.Length);

    void IChunkHome.Return(Chunk chunk)
    {
        int block = Array.IndexOf(_chunks, chunk);
        _generations[block]++;
        _free.Push(block);
    }

    private sealed class Borrowed(SharedMemoryStub owner) : IChunkHome
    {
        private readonly Chunk[] _held = [.. owner._arrays.Select(static _ => (Chunk)null!)];

        public int References => _held.Sum(static chunk => chunk?.References ?? 0);

        public bool TryBorrow(in LentPlace place, out Slice slice)
        {
            slice = default;
            if (place.Block >= (uint)_held.Length || owner._generations[place.Block] != place.Generation) return false;
            if (place.Length == 0 || place.Offset + (long)place.Length > BufferPool.ChunkBytes) return false;
            Chunk chunk = _held[place.Block] ??= new Chunk(this, owner._arrays[place.Block]);
            if (chunk.References > 0) chunk.Retain();
            else chunk.Rented(BufferOwner.Cache);
            slice = new Slice(chunk, place.Offset, place.Length);
            return true;
        }

        public void Return(Chunk chunk)
        {
            // Sessions for the next time.
        }
    }
}
