namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A bounded list of missing ranges in a token, with the place up to which it is complete. A list cut short is never
/// misread as "holds all the rest" (first paper, section 2.2, on bounding state). Reused from round to round; allocates
/// at construction only.
/// <code>
/// covered     varint   the list is complete below this place
/// count       varint   at most 20
/// range*      gap varint from the end before (or 1); then varint: length times two, plus one when requested
/// </code>
/// </summary>
internal sealed class TokenRangeList
{
    /// <summary>Limit on the ranges in one list; the papers' deployment used the same bound.</summary>
    public const int MaxRanges = 20;

    // Allocated when the first range comes: a token may have thousands of records, few of which miss anything.
    private TokenRange[] _ranges = [];

    /// <summary>Number of ranges.</summary>
    public int Count { get; private set; }

    /// <summary>The list is complete below this place.</summary>
    public ulong Covered { get; set; }

    /// <summary>The ranges, ascending.</summary>
    public ReadOnlySpan<TokenRange> Ranges => _ranges.AsSpan(0, Count);

    /// <summary>Empties the list.</summary>
    public void Clear()
    {
        Count = 0;
        Covered = 0;
    }

    /// <summary>Adds a range above all others; when the list is full, coverage ends before it.</summary>
    /// <returns>False when the list is full.</returns>
    public bool Add(TokenRange range)
    {
        if (Count == MaxRanges)
        {
            Covered = Math.Min(Covered, range.Start);
            return false;
        }
        MakeRoom();
        _ranges[Count++] = range;
        return true;
    }

    /// <summary>Copies another list.</summary>
    public void CopyFrom(TokenRangeList other)
    {
        if (other.Count > 0) MakeRoom();
        other.Ranges.CopyTo(_ranges);
        Count = other.Count;
        Covered = other.Covered;
    }

    /// <summary>
    /// Keeps only the packets that both lists miss, below the places that both cover. <paramref name="scratch"/> is
    /// overwritten.
    /// </summary>
    public void IntersectWith(TokenRangeList other, TokenRangeList scratch)
    {
        scratch.Clear();
        scratch.Covered = Math.Min(Covered, other.Covered);
        int mine = 0, theirs = 0;
        while (mine < Count && theirs < other.Count)
        {
            TokenRange a = _ranges[mine], b = other._ranges[theirs];
            ulong start = Math.Max(a.Start, b.Start);
            ulong end = Math.Min(Math.Min(a.End, b.End), scratch.Covered);
            if (start < end && !scratch.Add(new TokenRange(start, end, a.Requested && b.Requested))) break;
            if (a.End <= b.End) mine++;
            else theirs++;
        }
        CopyFrom(scratch);
    }

    /// <summary>Writes the list.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        writer.WriteVarint(Covered);
        writer.WriteVarint((ulong)Count);
        ulong previous = 1;
        foreach (TokenRange range in Ranges)
        {
            writer.WriteVarint(range.Start - previous);
            writer.WriteVarint(((range.End - range.Start) << 1) | (range.Requested ? 1UL : 0));
            previous = range.End;
        }
    }

    /// <summary>Reads a list over this one; a bad one fails the reader.</summary>
    public void ReadFrom(ref WireReader reader)
    {
        Clear();
        Covered = reader.ReadVarint();
        int count = (int)reader.ReadVarint(MaxRanges);
        ulong previous = 1;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong gap = reader.ReadVarint();
            ulong packed = reader.ReadVarint();
            ulong length = packed >> 1;
            if (length == 0 || gap > ulong.MaxValue - previous || length > ulong.MaxValue - (previous + gap))
            {
                reader.Fail();
                return;
            }
            ulong start = previous + gap;
            previous = start + length;
            MakeRoom();
            _ranges[Count++] = new TokenRange(start, previous, (packed & 1) != 0);
        }
    }

    private void MakeRoom()
    {
        if (_ranges.Length == 0) _ranges = new TokenRange[MaxRanges];
    }
}
