using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The blocks of packets that came or were sent lately: from them repairs are made, combinations solved, and requests
/// answered. The oldest go first. O(1) a packet; allocates nothing in steady state. Core thread only.
/// </summary>
/// <param name="arena">Memory of the blocks.</param>
/// <param name="mostBytes">Limit on their bytes, with an overhead for each.</param>
internal sealed class BlockCache(Arena arena, long mostBytes)
{
    private const int Overhead = 96;

    private readonly Dictionary<LateralId, Slice> _blocks = [];
    private readonly RingQueue<LateralId> _order = new();

    /// <summary>Bytes of all blocks, with their overhead.</summary>
    public long Bytes { get; private set; }

    /// <summary>Number of blocks.</summary>
    public int Count => _blocks.Count;

    /// <summary>Finds a block; the reference stays the cache's.</summary>
    public bool TryGet(in LateralId id, out Slice block) => _blocks.TryGetValue(id, out block);

    /// <summary>Adds a copy of a block that is not there yet.</summary>
    /// <returns>The copy; the reference stays the cache's.</returns>
    public Slice Add(in LateralId id, ReadOnlySpan<byte> block) => AddOwned(id, arena.Copy(block));

    /// <summary>Adds a block that is not there yet, with one reference that passes to the cache.</summary>
    public Slice AddOwned(in LateralId id, in Slice block)
    {
        _blocks.Add(id, block);
        _order.Enqueue(id);
        Bytes += block.Length + Overhead;
        while (Bytes > mostBytes && _order.Count > 1) Evict();
        return block;
    }

    /// <summary>Releases all blocks.</summary>
    public void Close()
    {
        while (_order.Count > 0) Evict();
    }

    private void Evict()
    {
        if (!_blocks.Remove(_order.Dequeue(), out Slice block)) return;
        Bytes -= block.Length + Overhead;
        block.Release();
    }
}
