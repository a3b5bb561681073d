namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The packets of a removed sender's stream that members of a view miss, and their holders: ranges, ascending, separate
/// from each other. Bounded: when there are more, the upper ones are left out, and <see cref="Covered"/> is their
/// start. The lower ones are settled first, so that all have their turn in time.
/// <code>
/// covered     varint   the list is complete below this sequence; 0: everywhere
/// count       varint   at most 64
/// range*      gap varint from the end before (or 1); length varint;
///             then varint: 1 when wanted, plus 2 when old, plus 4 times
///             (0: abandoned, 1: no holder known, 2 + index of the member that holds them)
/// </code>
/// Reused from round to round; allocates when it grows.
/// </summary>
internal sealed class OrphanRangeList
{
    /// <summary>Limit on the ranges in a token.</summary>
    public const int MaxRanges = 64;

    private const ulong All = ulong.MaxValue;

    private readonly List<OrphanRange> _ranges = [];

    /// <summary>Number of ranges.</summary>
    public int Count => _ranges.Count;

    /// <summary>The list is complete below this sequence.</summary>
    public ulong Covered { get; private set; } = All;

    /// <summary>True when nothing was left out.</summary>
    public bool IsComplete => Covered == All;

    /// <summary>A range by its index.</summary>
    public OrphanRange this[int index] => _ranges[index];

    /// <summary>Empties the list.</summary>
    public void Clear()
    {
        _ranges.Clear();
        Covered = All;
    }

    /// <summary>Copies another list.</summary>
    public void CopyFrom(OrphanRangeList other)
    {
        Clear();
        foreach (OrphanRange range in other._ranges) _ranges.Add(range);
        Covered = other.Covered;
    }

    /// <summary>Begins a round: every range is old, and no member wants it yet.</summary>
    public void BeginRound()
    {
        Covered = All;
        for (int index = 0; index < _ranges.Count; index++)
        {
            _ranges[index] = _ranges[index] with { IsWanted = false, IsOld = true };
        }
    }

    /// <summary>Ends a round: ranges that no member wants are dropped.</summary>
    public void DropUnwanted() => _ranges.RemoveAll(static range => !range.IsWanted);

    /// <summary>Adds packets that a member misses.</summary>
    public void Want(ulong start, ulong end)
    {
        int index = 0;
        while (index < _ranges.Count && _ranges[index].End <= start) index++;
        end = Math.Min(end, Covered);
        for (; start < end; index++)
        {
            OrphanRange next = index < _ranges.Count ? _ranges[index] : default;
            if (index == _ranges.Count || start < next.Start)
            {
                ulong until = index == _ranges.Count ? end : Math.Min(end, next.Start);
                _ranges.Insert(index, new OrphanRange(start, until, OrphanRange.Unknown, true, false));
                start = until;
                continue;
            }
            if (!next.IsWanted)
            {
                index = Cut(index, start, end);
                _ranges[index] = _ranges[index] with { IsWanted = true };
            }
            start = _ranges[index].End;
        }
        Trim();
    }

    /// <summary>Sets the holder of a part of a range.</summary>
    /// <returns>The index of that part; the rest of the range stands before and after it.</returns>
    public int Assign(int index, ulong start, ulong end, int holder)
    {
        index = Cut(index, start, end);
        _ranges[index] = _ranges[index] with { Holder = holder };
        return index;
    }

    /// <summary>Joins adjacent ranges that are alike, and cuts the list to its limit.</summary>
    public void Trim()
    {
        int kept = 0;
        for (int index = 1; index < _ranges.Count; index++)
        {
            OrphanRange range = _ranges[index];
            bool continues = _ranges[kept].End == range.Start && _ranges[kept].IsLike(range);
            if (continues) _ranges[kept] = _ranges[kept] with { End = range.End };
            else _ranges[++kept] = range;
        }
        if (_ranges.Count > kept + 1) _ranges.RemoveRange(kept + 1, _ranges.Count - kept - 1);
        if (_ranges.Count <= MaxRanges) return;
        Covered = _ranges[MaxRanges].Start;
        _ranges.RemoveRange(MaxRanges, _ranges.Count - MaxRanges);
    }

    /// <summary>The holder of a packet, and how far (exclusive) it is the same. O(ranges).</summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="until">The first sequence for which the answer may differ.</param>
    public int HolderOf(ulong sequence, out ulong until)
    {
        foreach (OrphanRange range in _ranges)
        {
            if (range.End <= sequence) continue;
            bool isInside = range.Start <= sequence;
            until = isInside ? range.End : range.Start;
            return isInside ? range.Holder : OrphanRange.Unknown;
        }
        until = All;
        return OrphanRange.Unknown;
    }

    internal void WriteTo(ref WireWriter writer)
    {
        writer.WriteVarint(IsComplete ? 0 : Covered);
        writer.WriteVarint((ulong)_ranges.Count);
        ulong previous = 1;
        foreach (OrphanRange range in _ranges)
        {
            writer.WriteVarint(range.Start - previous);
            writer.WriteVarint(range.End - range.Start);
            ulong holder = (ulong)(range.Holder - OrphanRange.Abandoned) << 2;
            writer.WriteVarint(holder | (range.IsOld ? 2UL : 0) | (range.IsWanted ? 1UL : 0));
            previous = range.End;
        }
    }

    internal void ReadFrom(ref WireReader reader, int members)
    {
        Clear();
        ulong covered = reader.ReadVarint(long.MaxValue);
        if (covered != 0) Covered = covered;
        int count = (int)reader.ReadVarint(MaxRanges);
        ulong previous = 1;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong gap = reader.ReadVarint(long.MaxValue);
            ulong length = reader.ReadVarint(long.MaxValue);
            ulong mark = reader.ReadVarint(((ulong)(members - 1 - OrphanRange.Abandoned) << 2) | 3);
            if (length == 0 || gap > long.MaxValue - previous || length > long.MaxValue - (previous + gap))
            {
                reader.Fail();
                return;
            }
            ulong start = previous + gap;
            previous = start + length;
            int holder = (int)(mark >> 2) + OrphanRange.Abandoned;
            _ranges.Add(new OrphanRange(start, previous, holder, (mark & 1) != 0, (mark & 2) != 0));
        }
    }

    /// <summary>Cuts a range so that the part within the bounds stands alone.</summary>
    /// <returns>The index of that part.</returns>
    private int Cut(int index, ulong start, ulong end)
    {
        OrphanRange range = _ranges[index];
        if (start > range.Start)
        {
            _ranges[index] = range with { End = start };
            range = range with { Start = start };
            _ranges.Insert(++index, range);
        }
        if (end < range.End)
        {
            _ranges[index] = range with { End = end };
            _ranges.Insert(index + 1, range with { Start = end });
        }
        return index;
    }
}
