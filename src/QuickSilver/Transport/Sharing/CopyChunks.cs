using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Memory for packets that are copied out of a segment: ordinary chunks, filled one packet after the other, so that small packets do not take a chunk
/// each. Some are kept for reuse. Core thread only.
/// </summary>
internal sealed class CopyChunks : IChunkHome
{
    private const int MostKept = 64;

    private readonly Stack<Chunk> _free = new(MostKept);
    private Chunk? _open;
    private int _used;

    /// <summary>Memory for a packet, with one reference.</summary>
    /// <param name="length">From 1 to the length of a chunk.</param>
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
        if (_free.Count < MostKept) _free.Push(chunk);
    }

    // The open chunk has one reference of its own; where that is the only one, all packets in it are gone and it is filled anew.
    private void Begin()
    {
        _used = 0;
        if (_open is { References: 1 }) return;
        _open?.Release();
        if (!_free.TryPop(out Chunk? chunk)) chunk = new Chunk(this, GC.AllocateUninitializedArray<byte>(SegmentLayout.BlockBytes, pinned: true));
        chunk.Rented(BufferOwner.Cache);
        _open = chunk;
    }
}
