namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The members of a region view that are behind: gathered by a token from the members it visits, and announced by the
/// next token and each acknowledgement. Bounded: where more are behind, the worst are named. Reused; allocates at
/// construction only.
/// <code>
/// count       varint   at most 8
/// entry*      member varint, ascending; cause 1 byte; packets varint; milliseconds varint
/// </code>
/// </summary>
internal sealed class LagList
{
    /// <summary>Limit on the members that are named.</summary>
    public const int MaxEntries = 8;

    /// <summary>The longest list.</summary>
    internal const int MaxLength = 1 + (MaxEntries * (5 + 1 + 10 + 5));

    private readonly LagEntry[] _entries = new LagEntry[MaxEntries];

    /// <summary>Number of members named.</summary>
    public int Count { get; private set; }

    /// <summary>The named members, ascending by index.</summary>
    public ReadOnlySpan<LagEntry> Entries => _entries.AsSpan(0, Count);

    /// <summary>Removes all members.</summary>
    public void Clear() => Count = 0;

    /// <summary>Names the same as another list.</summary>
    public void CopyFrom(LagList other)
    {
        Count = other.Count;
        other.Entries.CopyTo(_entries);
    }

    /// <summary>
    /// Names a member. Two entries on one member are combined; in a full list the mildest gives way to a worse one.
    /// </summary>
    public void Add(in LagEntry entry)
    {
        int offset = 0;
        while (offset < Count && _entries[offset].Member < entry.Member) offset++;
        if (offset < Count && _entries[offset].Member == entry.Member)
        {
            _entries[offset] = entry.With(_entries[offset]);
            return;
        }
        if (Count == MaxEntries)
        {
            int mildest = 0;
            for (int index = 1; index < Count; index++)
            {
                if (_entries[mildest].IsWorseThan(_entries[index])) mildest = index;
            }
            if (!entry.IsWorseThan(_entries[mildest])) return;
            _entries.AsSpan(mildest + 1, Count - mildest - 1).CopyTo(_entries.AsSpan(mildest));
            Count--;
            if (mildest < offset) offset--;
        }
        _entries.AsSpan(offset, Count - offset).CopyTo(_entries.AsSpan(offset + 1));
        _entries[offset] = entry;
        Count++;
    }

    /// <summary>Writes the list.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        writer.WriteVarint((ulong)Count);
        foreach (LagEntry entry in Entries)
        {
            writer.WriteVarint((ulong)entry.Member);
            writer.WriteByte((byte)entry.Cause);
            writer.WriteVarint(entry.Packets);
            writer.WriteVarint(entry.Milliseconds);
        }
    }

    /// <summary>Reads a list over this one; a bad one fails the reader.</summary>
    /// <param name="reader">The body.</param>
    /// <param name="members">Members of the view: bounds every index.</param>
    public void ReadFrom(ref WireReader reader, int members)
    {
        Clear();
        int count = (int)reader.ReadVarint(MaxEntries);
        int previous = -1;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            int member = (int)reader.ReadVarint((ulong)(members - 1));
            byte cause = reader.ReadByte();
            ulong packets = reader.ReadVarint();
            uint milliseconds = (uint)reader.ReadVarint(uint.MaxValue);
            if (member <= previous || cause is < (byte)LagCause.Losing or > (byte)LagCause.Handling) reader.Fail();
            if (reader.Failed) break;
            previous = member;
            _entries[Count++] = new LagEntry(member, (LagCause)cause, packets, milliseconds);
        }
        if (reader.Failed) Clear();
    }
}
