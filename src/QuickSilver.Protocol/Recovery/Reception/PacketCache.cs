using System.Numerics;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// The packets of one stream that this member keeps, by sequence.
/// <para>
/// Idea: a ring of pages, each with the slices of 128 sequences. A page is made when its first packet is kept, and
/// reused when all of its packets are released. So memory follows the packets kept. One packet far ahead, which any
/// member can send, costs a page, and eight bytes for each page between.
/// </para>
/// Cost: O(1) per packet. Allocates only when more packets are kept than ever before, or after much fewer had been.
/// </summary>
internal sealed class PacketCache
{
    private const int PageBits = 7;
    private const int PageSlots = 1 << PageBits;
    private const int MostSpare = 256;

    private readonly Stack<Slice[]> _spare = new();

    // The page of the floor and those after it, by page number modulo the length.
    private Slice[]?[] _pages = new Slice[]?[4];
    private ulong _floor;

    /// <summary>Bytes of the packets kept.</summary>
    public long Bytes { get; private set; }

    /// <summary>The sequence up to which all packets have been released.</summary>
    public ulong Floor => _floor;

    /// <summary>Keeps a packet; takes over the caller's reference.</summary>
    public void Store(ulong sequence, Slice datagram)
    {
        System.Diagnostics.Debug.Assert(sequence > _floor, "a packet below the floor is stable");
        ulong ahead = PageOf(sequence) - PageOf(_floor);
        if (ahead >= (ulong)_pages.Length) Grow(ahead + 1);
        ref Slice[]? page = ref _pages[IndexOf(PageOf(sequence))];
        page ??= _spare.TryPop(out Slice[]? spare) ? spare : new Slice[PageSlots];
        ref Slice slot = ref page[SlotOf(sequence)];
        System.Diagnostics.Debug.Assert(slot.IsEmpty, "stored twice");
        slot = datagram;
        Bytes += datagram.Length;
    }

    /// <summary>The packet, if it is kept; the cache keeps the reference.</summary>
    public bool TryGet(ulong sequence, out Slice datagram)
    {
        if (sequence > _floor && Find(sequence) is { } page)
        {
            datagram = page[SlotOf(sequence)];
            return !datagram.IsEmpty;
        }
        datagram = default;
        return false;
    }

    /// <summary>Releases one packet.</summary>
    public void Release(ulong sequence)
    {
        if (sequence > _floor && Find(sequence) is { } page) Release(ref page[SlotOf(sequence)]);
    }

    /// <summary>Releases all packets up to a sequence, for good.</summary>
    public void ReleaseThrough(ulong sequence)
    {
        if (sequence <= _floor) return;
        ulong last = Math.Min(PageOf(sequence), PageOf(_floor) + (ulong)_pages.Length - 1);
        for (ulong number = PageOf(_floor); number <= last; number++)
        {
            ref Slice[]? page = ref _pages[IndexOf(number)];
            if (page is null) continue;
            bool isPassed = number < PageOf(sequence) || SlotOf(sequence) == PageSlots - 1;
            int end = isPassed ? PageSlots : SlotOf(sequence) + 1;
            for (int slot = 0; slot < end && Bytes > 0; slot++) Release(ref page[slot]);
            if (!isPassed) continue;
            if (_spare.Count < MostSpare) _spare.Push(page);
            page = null;
        }
        _floor = sequence;
    }

    private static ulong PageOf(ulong sequence) => sequence >> PageBits;

    private static int SlotOf(ulong sequence) => (int)(sequence & (PageSlots - 1));

    private int IndexOf(ulong page) => (int)(page & (ulong)(_pages.Length - 1));

    private Slice[]? Find(ulong sequence)
    {
        ulong page = PageOf(sequence);
        return page - PageOf(_floor) < (ulong)_pages.Length ? _pages[IndexOf(page)] : null;
    }

    private void Release(ref Slice slot)
    {
        if (slot.IsEmpty) return;
        Bytes -= slot.Length;
        slot.Release();
        slot = default;
    }

    private void Grow(ulong needed)
    {
        var larger = new Slice[]?[BitOperations.RoundUpToPowerOf2(needed)];
        ulong first = PageOf(_floor);
        for (ulong page = first; page < first + (ulong)_pages.Length; page++)
            larger[(int)(page & (ulong)(larger.Length - 1))] = _pages[IndexOf(page)];
        _pages = larger;
    }
}
