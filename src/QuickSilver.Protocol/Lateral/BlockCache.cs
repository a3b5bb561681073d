using System.Diagnostics;
using QuickSilver.Protocol.Core;
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

    private readonly Dictionary<LateralId, (Slice Bytes, Instant Since)> _blocks = [];
    private readonly RingQueue<LateralId> _order = new();

    /// <summary>Bytes of all blocks, with their overhead.</summary>
    public long Bytes { get; private set; }

    /// <summary>Number of blocks.</summary>
    public int Count => _blocks.Count;

    /// <summary>Finds a block; the reference stays the cache's.</summary>
    public bool TryGet(in LateralId id, out Slice block) => TryGet(id, out block, out _);

    /// <summary>Finds a block, and since when it is here; the reference stays the cache's.</summary>
    public bool TryGet(in LateralId id, out Slice block, out Instant since)
    {
        bool isHere = _blocks.TryGetValue(id, out (Slice Bytes, Instant Since) found);
        (block, since) = found;
        return isHere;
    }

    /// <summary>Adds a copy of a block that is not there yet.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="block">The block.</param>
    /// <param name="now">The time.</param>
    /// <param name="copy">The copy; the reference stays the cache's.</param>
    /// <returns>False when there is no memory for it.</returns>
    public bool TryAdd(in LateralId id, ReadOnlySpan<byte> block, Instant now, out Slice copy)
    {
        if (!arena.TryCopy(block, out copy)) return false;
        AddOwned(id, copy, now);
        return true;
    }

    /// <summary>Adds a block that is not there yet, with one reference that passes to the cache.</summary>
    public void AddOwned(in LateralId id, in Slice block, Instant now)
    {
        Debug.Assert(!_blocks.ContainsKey(id), "a packet is kept once");
        _blocks.Add(id, (block, now));
        _order.Enqueue(id);
        Bytes += block.Length + Overhead;
        while (Bytes > mostBytes && _order.Count > 1) Evict();
    }

    /// <summary>Releases all blocks.</summary>
    public void Close()
    {
        while (_order.Count > 0) Evict();
    }

    private void Evict()
    {
        Debug.Assert(_order.Count > 0, "there is a packet");
        if (!_blocks.Remove(_order.Dequeue(), out (Slice Bytes, Instant Since) block)) return;
        Bytes -= block.Bytes.Length + Overhead;
        block.Bytes.Release();
    }
}
