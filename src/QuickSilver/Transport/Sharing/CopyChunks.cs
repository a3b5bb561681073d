using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Provides memory for packets that are copied out of a segment. Ordinary chunks are filled with one packet after
/// another, so that small packets share a chunk. Some chunks are kept for reuse. Core thread only.
/// </summary>
internal sealed class CopyChunks : IChunkHome
{
    private const int MaxKept = 64;

    private readonly Stack<Chunk> _free = new(MaxKept);
    private Chunk? _open;
    private int _used;

    /// <summary>Rents memory for a packet, with one reference.</summary>
    /// <param name="length">The length in bytes, from 1 to that of a chunk.</param>
    public Slice Rent(int length)
    {
        if (_open is null || _used + length > _open.Length || _open.References == 1) Begin();
        var slice = new Slice(_open, _used, length);
        slice.Retain();
        _used += length;
        return slice;
    }

    void IChunkHome.Return(Chunk chunk)
    {
        if (_free.Count < MaxKept) _free.Push(chunk);
    }

    // The open chunk has a reference of this object. If that is the only one, all its packets are gone, and it is
    // filled again.
    private void Begin()
    {
        _used = 0;
        if (_open is { References: 1 }) return;
        _open?.Release();
        if (!_free.TryPop(out Chunk? chunk))
            chunk = new Chunk(this, GC.AllocateUninitializedArray<byte>(SegmentLayout.BlockBytes, pinned: true));
        chunk.Rented(BufferOwner.Cache);
        _open = chunk;
    }
}
