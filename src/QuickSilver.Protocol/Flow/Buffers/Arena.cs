namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// Cuts small slices out of pooled chunks, one after another. Many packets share a chunk; it returns to its pool when
/// the last of them is released. Suits things that are released in about the order in which they were made, as pending
/// and cached packets are. A straggler keeps its 64 KiB chunk.
/// </summary>
/// <param name="pool">Source of ordinary chunks.</param>
/// <param name="owner">The account that the chunks are counted on.</param>
/// <param name="memory">Source of chunks that other processes read in place, while some are free; null: there is
/// none.</param>
internal sealed class Arena(BufferPool pool, BufferOwner owner, ISharedMemory? memory = null)
{
    private Chunk? _current;
    private int _used;

    /// <summary>True when other processes read the chunk being cut in place.</summary>
    public bool IsShared { get; private set; }

    /// <summary>
    /// Room left in the chunk being cut; a train that must be contiguous fits in it or starts a new chunk.
    /// </summary>
    public int Remaining => _current is null ? 0 : _current.Length - _used;

    /// <summary>
    /// Takes a slice of <paramref name="bytes"/>bytes with one reference, contiguous with the one before it when
    /// <see cref="Remaining"/> allows. A request larger than a chunk gets a chunk of its own.
    /// </summary>
    public Slice Take(int bytes)
    {
        if (bytes > BufferPool.ChunkBytes) return new Slice(pool.Rent(bytes, owner), 0, bytes);
        if (_current is null || Remaining < bytes) StartChunk();
        _current!.Retain();
        var slice = new Slice(_current, _used, bytes);
        _used += bytes;
        return slice;
    }

    /// <summary>Takes a slice with a copy of <paramref name="bytes"/> and one reference.</summary>
    public Slice Copy(ReadOnlySpan<byte> bytes)
    {
        Slice slice = Take(bytes.Length);
        bytes.CopyTo(slice.Span);
        return slice;
    }

    /// <summary>Takes a slice as <see cref="Take"/> does.</summary>
    /// <returns>False when the process has no memory for it.</returns>
    internal bool TryTake(int bytes, out Slice slice)
    {
        slice = default;
        if (bytes > BufferPool.ChunkBytes)
        {
            if (!pool.TryRent(bytes, owner, out Chunk? own)) return false;
            slice = new Slice(own, 0, bytes);
            return true;
        }
        if (_current is null || Remaining < bytes)
        {
            if (!pool.TryRent(BufferPool.ChunkBytes, owner, out Chunk? fresh)) return false;
            Begin(fresh, isShared: false);
        }
        slice = Take(bytes);
        return true;
    }

    /// <summary>Takes a slice with a copy of <paramref name="bytes"/> and one reference.</summary>
    /// <returns>False when the process has no memory for it.</returns>
    internal bool TryCopy(ReadOnlySpan<byte> bytes, out Slice slice)
    {
        if (!TryTake(bytes.Length, out slice)) return false;
        bytes.CopyTo(slice.Span);
        return true;
    }

    /// <summary>Gives back the end of the slice cut last, when it turned out longer than needed.</summary>
    public Slice Trim(Slice last, int bytes)
    {
        System.Diagnostics.Debug.Assert(
            last.Chunk == _current && last.Offset + last.Length == _used,
            "only the slice cut last can be trimmed");
        _used = last.Offset + bytes;
        return last with { Length = bytes };
    }

    /// <summary>
    /// Leaves the rest of the present chunk unused and takes a fresh one, so that the next slices are contiguous.
    /// </summary>
    /// <param name="shared">True: a chunk that others read in place, if one is free.</param>
    public void StartChunk(bool shared = false)
    {
        Chunk? lent = shared ? memory?.TryRent(owner) : null;
        Begin(lent ?? pool.Rent(owner), isShared: lent is not null);
    }

    /// <summary>Releases the chunk being cut.</summary>
    public void Close()
    {
        _current?.Release();
        _current = null;
        _used = 0;
        IsShared = false;
    }

    private void Begin(Chunk chunk, bool isShared)
    {
        _current?.Release();
        _current = chunk;
        _used = 0;
        IsShared = isShared;
    }
}
