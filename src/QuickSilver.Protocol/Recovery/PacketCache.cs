using System.Numerics;
using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// The packets of one stream that this member keeps, by sequence: a ring of slices that grows by doubling. O(1) per packet; allocates
/// only when it grows.
/// </summary>
internal sealed class PacketCache
{
    private Slice[] _slots = new Slice[64];
    private ulong _floor;

    /// <summary>Bytes kept.</summary>
    public long Bytes { get; private set; }

    /// <summary>Everything up to here has been let go.</summary>
    public ulong Floor => _floor;

    /// <summary>Keeps a packet; takes over the caller's reference.</summary>
    public void Store(ulong sequence, Slice datagram)
    {
        System.Diagnostics.Debug.Assert(sequence > _floor, "a packet below the floor is stable");
        if (sequence - _floor > (ulong)_slots.Length) Grow(sequence - _floor);
        ref Slice slot = ref _slots[Index(sequence)];
        System.Diagnostics.Debug.Assert(slot.IsEmpty, "stored twice");
        slot = datagram;
        Bytes += datagram.Length;
    }

    /// <summary>The packet, if it is kept; the reference stays the cache's.</summary>
    public bool TryGet(ulong sequence, out Slice datagram)
    {
        if (sequence <= _floor || sequence - _floor > (ulong)_slots.Length)
        {
            datagram = default;
            return false;
        }
        datagram = _slots[Index(sequence)];
        return !datagram.IsEmpty;
    }

    /// <summary>Lets one packet go.</summary>
    public void Release(ulong sequence)
    {
        if (!TryGet(sequence, out Slice datagram)) return;
        _slots[Index(sequence)] = default;
        Bytes -= datagram.Length;
        datagram.Release();
    }

    /// <summary>Lets everything up to a sequence go, for good.</summary>
    public void ReleaseThrough(ulong sequence)
    {
        ulong last = Math.Min(sequence, _floor + (ulong)_slots.Length);
        for (ulong next = _floor + 1; Bytes > 0 && next <= last; next++) Release(next);
        if (sequence > _floor) _floor = sequence;
    }

    private int Index(ulong sequence) => (int)(sequence & (ulong)(_slots.Length - 1));

    private void Grow(ulong needed)
    {
        var larger = new Slice[BitOperations.RoundUpToPowerOf2(needed)];
        for (ulong sequence = _floor + 1; sequence <= _floor + (ulong)_slots.Length; sequence++)
            larger[(int)(sequence & (ulong)(larger.Length - 1))] = _slots[Index(sequence)];
        _slots = larger;
    }
}
