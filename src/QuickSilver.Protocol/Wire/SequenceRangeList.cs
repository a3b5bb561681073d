namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A list of sequence ranges as it stands in a datagram: ascending, apart from each other, checked when read, walked without a copy.
/// <code>
/// count      varint   at most the format's cap
/// range*              gap varint: numbers between the end of the range before (or 1) and this start; at least 1 after the first
///                     length varint: numbers in the range, at least 1
/// </code>
/// </summary>
public readonly ref struct SequenceRangeList
{
    private readonly ReadOnlySpan<byte> _bytes;

    private SequenceRangeList(ReadOnlySpan<byte> bytes, int count)
    {
        _bytes = bytes;
        Count = count;
    }

    /// <summary>How many ranges there are.</summary>
    public int Count { get; }

    /// <summary>Writes ranges, ascending and apart from each other, none starting below 1.</summary>
    public static void Write(ref WireWriter writer, scoped ReadOnlySpan<SequenceRange> ranges)
    {
        writer.WriteVarint((ulong)ranges.Length);
        ulong previous = 1;
        foreach (SequenceRange range in ranges)
        {
            writer.WriteVarint(range.Start - previous);
            writer.WriteVarint(range.Count);
            previous = range.End;
        }
    }

    /// <summary>Reads and checks a list; a bad one fails the reader and gives an empty list.</summary>
    /// <param name="reader">The body.</param>
    /// <param name="cap">The most ranges allowed.</param>
    public static SequenceRangeList Read(scoped ref WireReader reader, int cap)
    {
        int count = (int)reader.ReadVarint((ulong)cap);
        WireReader start = reader;
        int before = reader.Remaining;
        ulong previous = 1;
        for (int index = 0; index < count; index++)
        {
            ulong gap = reader.ReadVarint();
            ulong length = reader.ReadVarint();
            if (reader.Failed) return default;
            if (length == 0 || (index > 0 && gap == 0) || gap > ulong.MaxValue - previous || length > ulong.MaxValue - (previous + gap))
            {
                reader.Fail();
                return default;
            }
            previous += gap + length;
        }
        return new SequenceRangeList(start.ReadBytes(before - reader.Remaining), count);
    }

    /// <summary>Walks the ranges in ascending order.</summary>
    public Enumerator GetEnumerator() => new(_bytes, Count);

    /// <summary>Walks the ranges.</summary>
    public ref struct Enumerator
    {
        private WireReader _reader;
        private int _left;
        private ulong _previous;

        internal Enumerator(ReadOnlySpan<byte> bytes, int count)
        {
            _reader = new WireReader(bytes);
            _left = count;
            _previous = 1;
        }

        /// <summary>The range walked to last.</summary>
        public SequenceRange Current { get; private set; }

        /// <summary>Goes to the next range.</summary>
        public bool MoveNext()
        {
            if (_left == 0) return false;
            _left--;
            ulong start = _previous + _reader.ReadVarint();
            _previous = start + _reader.ReadVarint();
            Current = new SequenceRange(start, _previous);
            return true;
        }
    }
}
