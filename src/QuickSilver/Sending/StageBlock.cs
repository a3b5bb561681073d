using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace QuickSilver.Sending;

/// <summary>
/// Memory for some messages of a <see cref="SendStage"/>, one behind the other: their bytes, and a mark for each that says that it is complete. A
/// producer takes a place with one compare-and-swap on a word that holds what is taken, whether the block is sealed, and how often it has been used:
/// whoever slept while the block went to another stage fails there, as at a <see cref="PayloadStack"/>. One reader, the core.
/// </summary>
internal sealed class StageBlock
{
    /// <summary>Bytes of messages that a block holds.</summary>
    public const int Bytes = 8 << 10;

    /// <summary>Messages that a block holds.</summary>
    public const int Slots = 128;

    private const int Alignment = 8;
    private const int SlotShift = 20;
    private const long OneSlot = 1L << SlotShift;
    private const long ByteMask = OneSlot - 1;
    private const long SealedBit = 1L << 32;
    private const long OneUse = SealedBit << 1;

    private readonly byte[] _bytes = GC.AllocateUninitializedArray<byte>(Bytes);

    // For each slot: 0 while it is not complete, otherwise one more than the message's length.
    private readonly int[] _marks = new int[Slots];
    private readonly object?[] _requests = new object?[Slots];
    private StageBlock? _next;
    private Places _places;

    /// <summary>What is taken, for <see cref="TryTake"/>.</summary>
    public long Word => Volatile.Read(ref _places.Word);

    /// <summary>The block that follows; set once this one is sealed.</summary>
    public StageBlock? Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>True when the reader has taken all that has a place here.</summary>
    public bool IsReadOut => SlotOf(Word) == _places.ReadSlot;

    /// <summary>True when a word leaves room for a message.</summary>
    public static bool HasRoom(long word, int length) =>
        (word & SealedBit) == 0 && SlotOf(word) < Slots && OffsetOf(word) + length <= Bytes;

    /// <summary>Takes the place behind what is taken.</summary>
    /// <param name="word">A word with room, read while the block was the caller's to write to.</param>
    /// <param name="length">Bytes wanted.</param>
    /// <returns>False when somebody was quicker.</returns>
    public bool TryTake(long word, int length)
    {
        long taken = (word & ~ByteMask) + OneSlot + Behind(OffsetOf(word), length);
        return Interlocked.CompareExchange(ref _places.Word, taken, word) == word;
    }

    /// <summary>Completes a message at the place that was taken with a word.</summary>
    public void Fill(long word, ReadOnlySpan<byte> message)
    {
        message.CopyTo(_bytes.AsSpan(OffsetOf(word)));
        Volatile.Write(ref _marks[SlotOf(word)], message.Length + 1);
    }

    /// <summary>Completes an object at the place, of no bytes, that was taken with a word.</summary>
    public void Fill(long word, object request)
    {
        _requests[SlotOf(word)] = request;
        Volatile.Write(ref _marks[SlotOf(word)], 1);
    }

    /// <summary>Nothing more is taken.</summary>
    public void Seal() => Interlocked.Or(ref _places.Word, SealedBit);

    /// <summary>Shows what comes next. Reader only.</summary>
    /// <returns>False when there is nothing, or when it is not complete.</returns>
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

    /// <summary>What was shown last has been taken. Reader only.</summary>
    public void Advance()
    {
        int slot = _places.ReadSlot++;
        _places.ReadOffset = Behind(_places.ReadOffset, _marks[slot] - 1);
        _marks[slot] = 0;
        if (_requests[slot] is not null) _requests[slot] = null;
    }

    /// <summary>Seals the block if it is read out and nobody takes a place. Reader only.</summary>
    public bool TrySeal()
    {
        long word = Word;
        return SlotOf(word) == _places.ReadSlot && Interlocked.CompareExchange(ref _places.Word, word | SealedBit, word) == word;
    }

    /// <summary>Makes a block that is read out ready for its next use.</summary>
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

    // Written by different threads: each has cache lines of its own, apart from the fields around them.
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
