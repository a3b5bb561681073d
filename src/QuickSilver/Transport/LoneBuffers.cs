using System.Diagnostics;
using System.Runtime.InteropServices;

namespace QuickSilver.Transport;

/// <summary>
/// Receive buffers for datagrams that come alone: slots of 2 KiB, side by side in pinned slabs, so that a stream of
/// them stays in the processor's caches. A slab is free again when all its slots are. Core thread only.
/// </summary>
internal sealed class LoneBuffers
{
    /// <summary>The size of a slot: any datagram of Ethernet fits.</summary>
    public const int SlotBytes = 2048;

    /// <summary>The size of a slab; no other receive buffer has it.</summary>
    public const int SlabBytes = (Slots * SlotBytes) + sizeof(int);

    private const int Slots = 64;

    private readonly Stack<byte[]> _free = new();
    private byte[] _slab = NewSlab();
    private int _used;

    /// <summary>Finds free slots that lie side by side.</summary>
    /// <param name="most">How many are wanted.</param>
    /// <param name="slab">The slab.</param>
    /// <param name="offset">Offset of the first slot.</param>
    /// <returns>How many there are, at least one.</returns>
    public int Find(int most, out byte[] slab, out int offset)
    {
        if (_used == Slots) Turn();
        slab = _slab;
        offset = _used * SlotBytes;
        return Math.Min(most, Slots - _used);
    }

    /// <summary>Takes the first of the slots found.</summary>
    /// <param name="slots">How many slots are passed over.</param>
    /// <param name="held">How many of them are held until <see cref="Release"/>.</param>
    public void Take(int slots, int held)
    {
        Debug.Assert(held <= slots && _used + slots <= Slots, "slots were found");
        _used += slots;
        Held(_slab) += held;
    }

    /// <summary>Releases one slot.</summary>
    public void Release(byte[] slab)
    {
        Debug.Assert(Held(slab) > 0, "a slot is held");
        if (--Held(slab) == 0 && slab != _slab) _free.Push(slab);
    }

    private void Turn()
    {
        if (Held(_slab) > 0) _slab = _free.TryPop(out byte[]? slab) ? slab : NewSlab();
        _used = 0;
    }

    // The number of slots held stands behind the last slot.
    private static ref int Held(byte[] slab) => ref MemoryMarshal.AsRef<int>(slab.AsSpan(Slots * SlotBytes));

    private static byte[] NewSlab() => GC.AllocateArray<byte>(SlabBytes, pinned: true);
}
