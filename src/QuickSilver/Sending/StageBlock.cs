using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace QuickSilver.Sending;

/// <summary>
/// Memory for consecutive messages of a <see cref="SendStage"/>: their bytes, and a mark for each that is set when the
/// message is complete. A producer takes a place by one compare-and-swap on a word. The word holds the taken slots and
/// bytes, a seal, and the number of uses of the block. A producer that was preempted while the block moved to another
/// stage therefore fails its swap, as in a <see cref="PayloadStack"/>. The core is the only reader.
/// </summary>
internal sealed class StageBlock
{
    /// <summary>Message bytes that a block holds.</summary>
    public const int Bytes = 8 << 10;

    /// <summary>Number of messages that a block holds.</summary>
    public const int Slots = 128;

    private const int Alignment = 8;
    private const int SlotShift = 20;
    private const long OneSlot = 1L << SlotShift;
    private const long ByteMask = OneSlot - 1;
    private const long SealedBit = 1L << 32;
    private const long OneUse = SealedBit << 1;

    private readonly byte[] _bytes = GC.AllocateUninitializedArray<byte>(Bytes);

    // Per slot: 0 while incomplete, otherwise the message's length plus one.
    private readonly int[] _marks = new int[Slots];
    private readonly object?[] _requests = new object?[Slots];
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
    public void Fill(long word, ReadOnlySpan<byte> message)
    {
        message.CopyTo(_bytes.AsSpan(OffsetOf(word)));
        Volatile.Write(ref _marks[SlotOf(word)], message.Length + 1);
    }

    /// <summary>Completes an object in the empty place that was taken with <paramref name="word"/>.</summary>
    public void Fill(long word, object request)
    {
        _requests[SlotOf(word)] = request;
        Volatile.Write(ref _marks[SlotOf(word)], 1);
    }

    /// <summary>Prevents further places from being taken.</summary>
    public void Seal() => Interlocked.Or(ref _places.Word, SealedBit);

    /// <summary>Reads the next entry without removing it. Reader only.</summary>
    /// <returns>False if there is no entry, or if the next one is incomplete.</returns>
    public bool TryPeek(out ReadOnlySpan<byte> message, out object? request)
    {
        int slot = _places.ReadSlot;
        int mark = slot < Slots ? Volatile.Read(ref _marks[slot]) : 0;
        if (mark == 0)
        {
            message = default;
            request = null;
            return false;
        }
        request = _requests[slot];
        message = _bytes.AsSpan(_places.ReadOffset, mark - 1);
        return true;
    }

    /// <summary>Removes the entry that was read last. Reader only.</summary>
    public void Advance()
    {
        int slot = _places.ReadSlot++;
        _places.ReadOffset = Behind(_places.ReadOffset, _marks[slot] - 1);
        _marks[slot] = 0;
        if (_requests[slot] is not null) _requests[slot] = null;
    }

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
        _places.ReadOffset = 0;
        Volatile.Write(ref _places.Word, (Word & -OneUse) + OneUse);
    }

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

        [FieldOffset(132)]
        public int ReadOffset;
    }
}
