namespace QuickSilver.Protocol.Wire;

/// <summary>
/// What members of a view miss of a removed sender's stream, and who holds it: runs, ascending, apart from each other. Bounded: when there are more,
/// the upper ones are left out, and <see cref="Covered"/> says where; the lower ones are settled first, so that in time all have their turn.
/// <code>
/// covered     varint   the list tells everything below this sequence; 0: everything
/// count       varint   at most 64
/// range*      gap varint from the end before (or 1); length varint; then varint: 1 when wanted, plus 2 when old, plus 4 times
///             (0: abandoned, 1: no holder known, 2 + index of the member that holds them)
/// </code>
/// Reused from round to round; allocates when it grows.
/// </summary>
public sealed class OrphanRangeList
{
    /// <summary>The most runs in a token.</summary>
    public const int MaxRanges = 64;

    private const ulong All = ulong.MaxValue;

    private readonly List<OrphanRange> _ranges = [];

    /// <summary>How many runs there are.</summary>
    public int Count => _ranges.Count;

    /// <summary>The list tells everything below this sequence.</summary>
    public ulong Covered { get; private set; } = All;

    /// <summary>True when nothing was left out.</summary>
    public bool IsComplete => Covered == All;

    /// <summary>A run by its place.</summary>
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

    /// <summary>A round begins: every run is old, and nobody wants it yet.</summary>
    public void BeginRound()
    {
        Covered = All;
        for (int index = 0; index < _ranges.Count; index++) _ranges[index] = _ranges[index] with { IsWanted = false, IsOld = true };
    }

    /// <summary>A round is over: what nobody wants goes.</summary>
    public void DropUnwanted() => _ranges.RemoveAll(static range => !range.IsWanted);

    /// <summary>A member misses some packets.</summary>
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

    /// <summary>Says who holds a part of a run.</summary>
    /// <returns>The place of that part; what is left of the run stands before and after it.</returns>
    public int Assign(int index, ulong start, ulong end, int holder)
    {
        index = Cut(index, start, end);
        _ranges[index] = _ranges[index] with { Holder = holder };
        return index;
    }

    /// <summary>Joins what touches and is alike, and leaves out what is too much.</summary>
    public void Trim()
    {
        int kept = 0;
        for (int index = 1; index < _ranges.Count; index++)
        {
            OrphanRange range = _ranges[index];
            if (_ranges[kept].End == range.Start && _ranges[kept].IsLike(range)) _ranges[kept] = _ranges[kept] with { End = range.End };
            else _ranges[++kept] = range;
        }
        if (_ranges.Count > kept + 1) _ranges.RemoveRange(kept + 1, _ranges.Count - kept - 1);
        if (_ranges.Count <= MaxRanges) return;
        Covered = _ranges[MaxRanges].Start;
        _ranges.RemoveRange(MaxRanges, _ranges.Count - MaxRanges);
    }

    /// <summary>Who holds a packet, and up to where (exclusive) that stays so. O(runs).</summary>
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
            writer.WriteVarint(((ulong)(range.Holder - OrphanRange.Abandoned) << 2) | (range.IsOld ? 2UL : 0) | (range.IsWanted ? 1UL : 0));
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
            _ranges.Add(new OrphanRange(start, previous, (int)(mark >> 2) + OrphanRange.Abandoned, (mark & 1) != 0, (mark & 2) != 0));
        }
    }

    /// <summary>Cuts a run so that the part within some bounds stands alone.</summary>
    /// <returns>The place of that part.</returns>
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
