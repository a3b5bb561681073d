using System.Numerics;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// Records which packets of one stream have been received: all up to <see cref="Contiguous"/>, and above it those set
/// in a bitmap. Core thread only.
/// </summary>
/// <remarks>
/// The bitmap is a circle of 64-bit words: sequence s has bit s mod 64 of word (s / 64) mod words. A bit is cleared
/// when <see cref="Contiguous"/> passes it, so the circle is never moved. One word is kept free so that no word stands
/// for two ranges at once.
/// A packet in order touches two fields; any other touches one bit: O(1), nothing allocated. The circle doubles, up to
/// a limit, when a sequence lies beyond it. Received packets are passed over a word at a time. Sequence 0, which no
/// packet has, counts as received.
/// </remarks>
internal sealed class ReceptionWindow
{
    /// <summary>The default limit of the bitmap, in bits: 128 KiB.</summary>
    public const int DefaultMaxBits = 1 << 20;

    private const int FirstBits = 256;

    private readonly int _maxBits;
    private ulong[] _words = new ulong[FirstBits / 64];
    private ulong _above;
    private int _stridePartition = -1;
    private int _strideCount;
    private ulong _strideNext;

    /// <summary>Makes a window in which no packet is received.</summary>
    /// <param name="maxBits">Limit of the bitmap: a power of two, at least 256. Sequences up to 64 fewer than that
    /// above <see cref="Contiguous"/> can be marked.</param>
    public ReceptionWindow(int maxBits = DefaultMaxBits)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxBits, FirstBits);
        if (!BitOperations.IsPow2(maxBits)) throw new ArgumentException("not a power of two", nameof(maxBits));
        _maxBits = maxBits;
    }

    /// <summary>All sequences from 1 up to this one are received.</summary>
    public ulong Contiguous { get; private set; }

    /// <summary>The highest sequence received.</summary>
    public ulong Highest { get; private set; }

    /// <summary>Number of sequences received.</summary>
    public ulong Marked => Contiguous + _above;

    /// <summary>Marks one sequence as received.</summary>
    public MarkOutcome TryMark(ulong sequence)
    {
        if (sequence <= Contiguous) return MarkOutcome.Duplicate;
        ulong ahead = sequence - Contiguous;
        if (ahead == 1)
        {
            Contiguous = sequence;
            if (sequence > Highest) Highest = sequence;
            else AdvanceOverMarked();
            return MarkOutcome.New;
        }
        if (ahead > Reach && !TryGrow(ahead)) return MarkOutcome.BeyondWindow;
        ref ulong word = ref WordOf(sequence);
        ulong bit = 1UL << (int)(sequence & 63);
        if ((word & bit) != 0) return MarkOutcome.Duplicate;
        word |= bit;
        _above++;
        if (sequence > Highest) Highest = sequence;
        return MarkOutcome.New;
    }

    /// <summary>True when <see cref="TryMark"/> would not return <see cref="MarkOutcome.BeyondWindow"/>.</summary>
    public bool Reaches(ulong sequence) => sequence <= Contiguous || sequence - Contiguous <= (ulong)(_maxBits - 64);

    /// <summary>True when the sequence is received.</summary>
    public bool Contains(ulong sequence) =>
        sequence <= Contiguous || (sequence <= Highest && (WordOf(sequence) & (1UL << (int)(sequence & 63))) != 0);

    /// <summary>
    /// Marks every sequence below <paramref name="sequence"/>: abandoned packets count as received. O(distance / 64).
    /// </summary>
    public void AdvanceTo(ulong sequence)
    {
        if (sequence <= Contiguous + 1) return;
        ulong last = Math.Min(sequence - 1, Highest);
        for (ulong word = (Contiguous + 1) >> 6; word <= last >> 6; word++)
        {
            ulong keep = word == last >> 6 && (last & 63) != 63 ? ~0UL << (int)((last & 63) + 1) : 0;
            ref ulong bits = ref WordOf(word << 6);
            _above -= (ulong)BitOperations.PopCount(bits & ~keep);
            bits &= keep;
        }
        Contiguous = sequence - 1;
        if (Contiguous >= Highest) Highest = Contiguous;
        else AdvanceOverMarked();
    }

    /// <summary>
    /// The last sequence before the first missing one of a partition. Sequence s belongs to partition (s - 1) mod
    /// <paramref name="count"/>. The least over all partitions is <see cref="Contiguous"/>; one alone may lie up to
    /// <paramref name="count"/> - 1 above <see cref="Highest"/>. The end of the search is remembered, so repeated calls
    /// for one partition cost O(1) per packet received.
    /// </summary>
    public ulong ContiguousIn(int partition, int count)
    {
        if (partition != _stridePartition || count != _strideCount)
        {
            _stridePartition = partition;
            _strideCount = count;
            _strideNext = 0;
        }
        ulong next = Math.Max(_strideNext, FirstInPartition(Contiguous + 1, partition, count));
        while (next <= Highest && Contains(next)) next += (ulong)count;
        _strideNext = next;
        return next - 1;
    }

    /// <summary>How far above <see cref="Contiguous"/> the present bitmap reaches.</summary>
    private ulong Reach => (ulong)(_words.Length - 1) * 64;

    private ref ulong WordOf(ulong sequence) => ref _words[(int)(sequence >> 6) & (_words.Length - 1)];

    private static ulong FirstInPartition(ulong from, int partition, int count)
    {
        ulong of = (from - 1) % (ulong)count;
        return from + (((ulong)(partition + count) - of) % (ulong)count);
    }

    /// <summary>Moves <see cref="Contiguous"/> over the marked sequences after it, and clears their bits.</summary>
    private void AdvanceOverMarked()
    {
        while (true)
        {
            ulong next = Contiguous + 1;
            int offset = (int)(next & 63);
            ref ulong word = ref WordOf(next);
            int length = BitOperations.TrailingZeroCount(~(word >> offset));
            if (length == 0) return;
            word &= length == 64 ? 0 : ~(((1UL << length) - 1) << offset);
            Contiguous += (ulong)length;
            _above -= (ulong)length;
            if (offset + length < 64) return;
        }
    }

    private bool TryGrow(ulong ahead)
    {
        if (ahead > (ulong)(_maxBits - 64)) return false;
        var larger = new ulong[BitOperations.RoundUpToPowerOf2((uint)ahead + 64) / 64];
        for (ulong word = (Contiguous + 1) >> 6; word <= Highest >> 6; word++)
        {
            larger[(int)word & (larger.Length - 1)] = _words[(int)word & (_words.Length - 1)];
        }
        _words = larger;
        return true;
    }
}
