using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// A set of sequence numbers kept as ranges: ascending, half-open, separate (two that touch are one). The missing,
/// requested or acknowledged packets of a stream are a few ranges, however many numbers they span. Core thread only.
/// </summary>
/// <remarks>
/// One sorted array, changed in place, with room at both ends. Losses add at the upper end and repairs remove at the
/// lower end: both are O(1) amortised. Elsewhere an operation is a binary search and a move of the shorter side. The
/// array only grows, so a set in use allocates nothing once it has held its largest number of ranges. The number 2^64 -
/// 1 cannot be held.
/// </remarks>
public sealed class IntervalSet
{
    private const int FirstCapacity = 4;

    private SequenceRange[] _ranges = [];
    private SequenceRange[] _scratch = [];
    private int _first;

    /// <summary>Number of ranges in the set.</summary>
    public int Count { get; private set; }

    /// <summary>Number of sequence numbers in the set.</summary>
    public ulong Total { get; private set; }

    /// <summary>True when no number is in the set.</summary>
    public bool IsEmpty => Count == 0;

    /// <summary>A range by its index in ascending order.</summary>
    public SequenceRange this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
            return _ranges[_first + index];
        }
    }

    /// <summary>All ranges, ascending; valid until the set changes.</summary>
    public ReadOnlySpan<SequenceRange> AsSpan() => _ranges.AsSpan(_first, Count);

    /// <summary>Adds one number.</summary>
    public void Add(ulong sequence) => Add(new SequenceRange(sequence, sequence + 1));

    /// <summary>Adds all numbers of a range; an empty range changes nothing.</summary>
    public void Add(SequenceRange range)
    {
        if (range.IsEmpty) return;
        Span<SequenceRange> ranges = _ranges.AsSpan(_first, Count);
        if (Count == 0 || ranges[^1].End < range.Start)
        {
            Replace(Count, 0, range, default);
            return;
        }
        int first = range.Start == 0 ? 0 : FirstEndingAbove(range.Start - 1);
        int past = first;
        ulong start = range.Start, end = range.End;
        while (past < Count && ranges[past].Start <= range.End)
        {
            start = Math.Min(start, ranges[past].Start);
            end = Math.Max(end, ranges[past].End);
            past++;
        }
        Replace(first, past - first, new SequenceRange(start, end), default);
    }

    /// <summary>Removes one number.</summary>
    public void Remove(ulong sequence) => Remove(new SequenceRange(sequence, sequence + 1));

    /// <summary>Removes all numbers of a range, whether they are in the set or not.</summary>
    public void Remove(SequenceRange range)
    {
        if (range.IsEmpty) return;
        Span<SequenceRange> ranges = _ranges.AsSpan(_first, Count);
        int first = FirstEndingAbove(range.Start);
        int past = first;
        while (past < Count && ranges[past].Start < range.End) past++;
        if (past == first) return;
        var below = new SequenceRange(ranges[first].Start, Math.Max(ranges[first].Start, range.Start));
        var above = new SequenceRange(Math.Min(ranges[past - 1].End, range.End), ranges[past - 1].End);
        Replace(first, past - first, below, above);
    }

    /// <summary>Keeps only numbers that are in one of <paramref name="others"/> too.</summary>
    /// <param name="others">Ranges, ascending and without overlap.</param>
    public void IntersectWith(ReadOnlySpan<SequenceRange> others)
    {
        int needed = Count + others.Length;
        if (_scratch.Length < needed) _scratch = new SequenceRange[Math.Max(needed, _scratch.Length * 2)];
        ReadOnlySpan<SequenceRange> ranges = AsSpan();
        int kept = 0, mine = 0, other = 0;
        ulong total = 0;
        while (mine < Count && other < others.Length)
        {
            ulong start = Math.Max(ranges[mine].Start, others[other].Start);
            ulong end = Math.Min(ranges[mine].End, others[other].End);
            if (start < end)
            {
                // Ranges of the argument may touch; those of a set may not.
                if (kept > 0 && _scratch[kept - 1].End == start)
                    _scratch[kept - 1] = _scratch[kept - 1] with { End = end };
                else
                    _scratch[kept++] = new SequenceRange(start, end);
                total += end - start;
            }
            if (ranges[mine].End < others[other].End) mine++;
            else other++;
        }
        (_ranges, _scratch) = (_scratch, _ranges);
        _first = 0;
        Count = kept;
        Total = total;
    }

    /// <summary>True when the number is in the set. O(log ranges).</summary>
    public bool Contains(ulong sequence)
    {
        int index = FirstEndingAbove(sequence);
        return index < Count && _ranges[_first + index].Start <= sequence;
    }

    /// <summary>The lowest number from <paramref name="sequence"/> on that is not in the set. O(log ranges).</summary>
    public ulong FirstMissingFrom(ulong sequence)
    {
        int index = FirstEndingAbove(sequence);
        return index < Count && _ranges[_first + index].Start <= sequence ? _ranges[_first + index].End : sequence;
    }

    /// <summary>
    /// Index of the first range that holds a number from <paramref name="sequence"/> on; <see cref="Count"/> when none
    /// does. O(log ranges).
    /// </summary>
    public int IndexFrom(ulong sequence) => FirstEndingAbove(sequence);

    /// <summary>Empties the set; its array is kept.</summary>
    public void Clear()
    {
        _first = 0;
        Count = 0;
        Total = 0;
    }

    /// <summary>Copies the lowest ranges, as many as fit.</summary>
    /// <returns>Number of ranges copied.</returns>
    public int CopyTo(Span<SequenceRange> ranges)
    {
        int count = Math.Min(Count, ranges.Length);
        _ranges.AsSpan(_first, count).CopyTo(ranges);
        return count;
    }

    /// <summary>Index of the first range that ends above <paramref name="sequence"/>.</summary>
    private int FirstEndingAbove(ulong sequence)
    {
        ReadOnlySpan<SequenceRange> ranges = AsSpan();
        int low = 0, high = ranges.Length;
        while (low < high)
        {
            int middle = (int)((uint)(low + high) >> 1);
            if (ranges[middle].End <= sequence) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /// <summary>Replaces <paramref name="removed"/> ranges by up to two, those that are not empty.</summary>
    private void Replace(int index, int removed, SequenceRange first, SequenceRange second)
    {
        foreach (SequenceRange old in _ranges.AsSpan(_first + index, removed)) Total -= old.Count;
        Total += first.Count + second.Count;

        int added = (first.IsEmpty ? 0 : 1) + (second.IsEmpty ? 0 : 1);
        if (added != removed) Shift(index, removed, added - removed);
        int offset = _first + index;
        if (!first.IsEmpty) _ranges[offset++] = first;
        if (!second.IsEmpty) _ranges[offset] = second;
    }

    /// <summary>
    /// Widens or narrows the room of some ranges. Moves the ranges below or, when they are more or have no room, those
    /// above.
    /// </summary>
    private void Shift(int index, int removed, int change)
    {
        int above = Count - index - removed;
        if (index < above && change <= _first)
        {
            Array.Copy(_ranges, _first, _ranges, _first - change, index);
            _first -= change;
        }
        else
        {
            if (_first + Count + change > _ranges.Length) MakeRoomAbove(Count + change);
            Array.Copy(_ranges, _first + index + removed, _ranges, _first + index + removed + change, above);
        }
        Count += change;
    }

    /// <summary>
    /// Moves all ranges to the lower end. Takes a larger array unless as much room as they need has become free there.
    /// So a move is paid for by the removals that freed the room.
    /// </summary>
    private void MakeRoomAbove(int count)
    {
        int larger = Math.Max(Math.Max(FirstCapacity, count), _ranges.Length * 2);
        SequenceRange[] target = _first > Count ? _ranges : new SequenceRange[larger];
        Array.Copy(_ranges, _first, target, 0, Count);
        _ranges = target;
        _first = 0;
    }
}
