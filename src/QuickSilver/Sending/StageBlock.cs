using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Sending;

/// <summary>
/// Memory for consecutive messages of a <see cref="SendStage"/>: their bytes, and a slot for each, with its group and a
/// mark that is set when the message is complete. A producer takes a place by one compare-and-swap on a word. The word
/// holds the taken slots and bytes, a seal, and the number of uses of the block. A producer that was preempted while
/// the block moved to another stage therefore fails its swap, as in a <see cref="PayloadStack"/>. The core is the only
/// reader. It links entries of the same group in memory of its own (<see cref="StageChains"/>), since a write into the
/// slots would take their cache lines from the producers.
/// </summary>
internal sealed class StageBlock
{
    /// <summary>Message bytes that a block holds.</summary>
    public const int Bytes = 32 << 10;

    /// <summary>Number of messages that a block holds.</summary>
    public const int Slots = 512;

    // A message takes some 50 ns, memory that no cache holds twice that.
    private const int FarAhead = 12;
    private const int NearAhead = 6;

    private const int Alignment = 8;
    private const int SlotShift = 20;
    private const long OneSlot = 1L << SlotShift;
    private const long ByteMask = OneSlot - 1;
    private const long SealedBit = 1L << 32;
    private const long OneUse = SealedBit << 1;

    private const int GivenUp = -1;
    private const int LengthBits = 12;
    private const int LengthMask = (1 << LengthBits) - 1;

    private readonly byte[] _bytes = GC.AllocateUninitializedArray<byte>(Bytes);

    private readonly Slot[] _slots = new Slot[Slots];

    // Distance from a slot to the next entry of its group; 0: none is known. Reader only.
    private readonly int[] _links = new int[Slots];
    private StageBlock? _next;
    private Places _places;

    /// <summary>The current word, for <see cref="TryTake"/>.</summary>
    public long Word => Volatile.Read(ref _places.Word);

    /// <summary>The next block; set once this one is sealed.</summary>
    public StageBlock? Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>The slot that is read next. Reader only.</summary>
    public int ReadSlot => _places.ReadSlot;

    /// <summary>The block's number among those of its stage, which <see cref="StageChains"/> gives. Reader
    /// only.</summary>
    public uint Ordinal { get; set; }

    /// <summary>Whether the reader has read every taken slot.</summary>
    public bool IsReadOut => SlotOf(Word) == _places.ReadSlot;

    /// <summary>Whether a word leaves room for a message.</summary>
    public static bool HasRoom(long word, int length) =>
        (word & SealedBit) == 0 && SlotOf(word) < Slots && OffsetOf(word) + length <= Bytes;

    /// <summary>Takes the next place.</summary>
    /// <param name="word">A word with room, read while this block was the stage's last.</param>
    /// <param name="length">Length of the message, in bytes.</param>
    /// <returns>False if another producer was faster.</returns>
    public bool TryTake(long word, int length)
    {
        long taken = (word & ~ByteMask) + OneSlot + Behind(OffsetOf(word), length);
        return Interlocked.CompareExchange(ref _places.Word, taken, word) == word;
    }

    /// <summary>Completes a message in the place that was taken with <paramref name="word"/>.</summary>
    public void Fill(long word, StagedGroup group, ReadOnlySpan<byte> message)
    {
        message.CopyTo(_bytes.AsSpan(OffsetOf(word)));
        ref Slot slot = ref _slots[SlotOf(word)];
        slot.Group = group;
        slot.GroupNumber = group.Number;
        Volatile.Write(ref slot.Mark, MarkOf(OffsetOf(word), message.Length));
    }

    /// <summary>Completes an object in the empty place that was taken with <paramref name="word"/>.</summary>
    public void Fill(long word, StagedGroup? group, object request)
    {
        ref Slot slot = ref _slots[SlotOf(word)];
        slot.Group = group;
        slot.Request = request;
        slot.GroupNumber = group?.Number ?? 0;
        Volatile.Write(ref slot.Mark, MarkOf(0, 0));
    }

    /// <summary>Gives up the place that was taken with <paramref name="word"/>: the reader passes over it.</summary>
    public void Void(long word) => Volatile.Write(ref _slots[SlotOf(word)].Mark, GivenUp);

    /// <summary>Prevents further places from being taken.</summary>
    public void Seal() => Interlocked.Or(ref _places.Word, SealedBit);

    /// <summary>Reads the next entry without removing it; passes over places that were given up. Reader only.</summary>
    /// <returns>False if there is no entry, or if the next one is incomplete.</returns>
    public bool TryPeek(out StageEntry entry)
    {
        while (_places.ReadSlot < Slots && Volatile.Read(ref _slots[_places.ReadSlot].Mark) is not 0 and int mark)
        {
            if (mark != GivenUp)
            {
                entry = Entry(_places.ReadSlot, mark);
                return true;
            }
            Advance();
        }
        entry = default;
        return false;
    }

    /// <summary>Removes the entry that was read last. Reader only.</summary>
    public void Advance()
    {
        ref Slot slot = ref _slots[_places.ReadSlot++];
        slot.Mark = 0;
        slot.Group = null;
        if (slot.Request is not null) slot.Request = null;
    }

    /// <summary>Has memory loaded of the groups whose messages come in a while. Reader only.</summary>
    public void LookAhead()
    {
        int slot = _places.ReadSlot;
        if (slot + FarAhead >= Slots) return;
        if (_slots[slot + FarAhead].Group is { } far) CacheLines.Fetch(far);
        _slots[slot + NearAhead].Group?.Prepare();
    }

    /// <summary>The position of the entry that is read next. Reader only.</summary>
    public StagePosition Start => new(this, _places.ReadSlot);

    /// <summary>Looks at the entry at a position, without removing it, and moves the position behind it. Reader
    /// only.</summary>
    /// <param name="at">The position; not moved when there is nothing complete.</param>
    /// <param name="entry">The entry; an empty one without a group where a place was given up.</param>
    /// <returns>False at the end, and at an incomplete entry.</returns>
    public bool TryLook(ref StagePosition at, out StageEntry entry)
    {
        entry = default;
        int mark = at.Slot < Slots ? Volatile.Read(ref _slots[at.Slot].Mark) : 0;
        if (mark == 0) return false;
        if (mark != GivenUp) entry = Entry(at.Slot, mark);
        at = new StagePosition(this, at.Slot + 1);
        return true;
    }

    /// <summary>Reads the entry of a slot without removing it. Reader only.</summary>
    /// <returns>False if it is incomplete, or was given up.</returns>
    public bool TryRead(int slot, out StageEntry entry)
    {
        int mark = Volatile.Read(ref _slots[slot].Mark);
        bool isEntry = mark is not 0 and not GivenUp;
        entry = isEntry ? Entry(slot, mark) : default;
        return isEntry;
    }

    /// <summary>Gives up the entry of a slot: it has been taken out of the order. Reader only.</summary>
    public void TakeOut(int slot)
    {
        ref Slot taken = ref _slots[slot];
        taken.Mark = GivenUp;
        taken.Group = null;
        if (taken.Request is not null) taken.Request = null;
    }

    /// <summary>Passes complete entries to the chains, in their order. Reader only.</summary>
    /// <param name="slot">The first; moved behind the last.</param>
    /// <param name="chains">Links them.</param>
    public void Link(ref int slot, StageChains chains)
    {
        while (slot < Slots && Volatile.Read(ref _slots[slot].Mark) is not 0 and int mark)
        {
            ref Slot entry = ref _slots[slot];
            _links[slot] = 0;
            if (entry.Request is IStageBarrier) chains.OnBarrier(slot);
            else if (mark != GivenUp) chains.OnEntry(slot, entry.GroupNumber);
            slot++;
        }
    }

    /// <summary>The distance from a slot to the next entry of its group, in slots; 0: none is known. Reader
    /// only.</summary>
    public ref int LinkOf(int slot) => ref _links[slot];

    /// <summary>Whether a position is behind every taken slot. Reader only.</summary>
    public bool IsEnd(in StagePosition at) => SlotOf(Word) == at.Slot;

    /// <summary>Seals the block if every taken slot is read. Reader only.</summary>
    public bool TrySeal()
    {
        long word = Word;
        return SlotOf(word) == _places.ReadSlot
            && Interlocked.CompareExchange(ref _places.Word, word | SealedBit, word) == word;
    }

    /// <summary>Prepares a block that is read out for its next use.</summary>
    public void Renew()
    {
        Next = null;
        _places.ReadSlot = 0;
        Volatile.Write(ref _places.Word, (Word & -OneUse) + OneUse);
    }

    private StageEntry Entry(int at, int mark)
    {
        ref Slot slot = ref _slots[at];
        int offset = (mark >> LengthBits) * Alignment;
        return new StageEntry(slot.Group, _bytes.AsSpan(offset, (mark & LengthMask) - 1), slot.Request);
    }

    // Never 0, and never that of a place that was given up.
    private static int MarkOf(int offset, int length) => ((offset / Alignment) << LengthBits) | (length + 1);

    private static int Behind(int offset, int length) => offset + ((length + Alignment - 1) & -Alignment);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int SlotOf(long word) => (int)((word & (SealedBit - 1)) >> SlotShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int OffsetOf(long word) => (int)(word & ByteMask);

    // Producers and the reader write different fields: each has its own cache lines, apart from the fields around them.
    [StructLayout(LayoutKind.Explicit, Size = 192)]
    private struct Places
    {
        [FieldOffset(64)]
        public long Word;

        [FieldOffset(128)]
        public int ReadSlot;
    }

    private struct Slot
    {
        public StagedGroup? Group;
        public object? Request;

        // 0 while incomplete; otherwise where the message's bytes begin, and its length; or that the place was given
        // up.
        public int Mark;

        public int GroupNumber;
    }
}
