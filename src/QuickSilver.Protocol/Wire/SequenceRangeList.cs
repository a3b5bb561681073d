namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A list of sequence ranges in its wire form: ascending, separate from each other, checked when read, enumerated
/// without a copy.
/// <code>
/// count      varint   at most the format's cap
/// range*              gap varint: numbers between the end of the range before (or 1) and this start; at least 1 after
///                     the first; length varint: numbers in the range, at least 1
/// </code>
/// </summary>
internal readonly ref struct SequenceRangeList
{
    private readonly ReadOnlySpan<byte> _bytes;

    private SequenceRangeList(ReadOnlySpan<byte> bytes, int count)
    {
        _bytes = bytes;
        Count = count;
    }

    /// <summary>Number of ranges.</summary>
    public int Count { get; }

    /// <summary>Writes ranges, ascending and separate from each other, none starting below 1.</summary>
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
    /// <param name="cap">Limit on the ranges.</param>
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
            bool isSeparate = index == 0 || gap > 0;
            bool fits = gap <= ulong.MaxValue - previous && length <= ulong.MaxValue - (previous + gap);
            if (length == 0 || !isSeparate || !fits)
            {
                reader.Fail();
                return default;
            }
            previous += gap + length;
        }
        return new SequenceRangeList(start.ReadBytes(before - reader.Remaining), count);
    }

    /// <summary>Enumerates the ranges in ascending order.</summary>
    public Enumerator GetEnumerator() => new(_bytes, Count);

    /// <summary>Enumerates the ranges.</summary>
    public ref struct Enumerator
    {
        private WireReader _reader;
        private int _remaining;
        private ulong _previous;

        internal Enumerator(ReadOnlySpan<byte> bytes, int count)
        {
            _reader = new WireReader(bytes);
            _remaining = count;
            _previous = 1;
        }

        /// <summary>The present range.</summary>
        public SequenceRange Current { get; private set; }

        /// <summary>Advances to the next range.</summary>
        public bool MoveNext()
        {
            if (_remaining == 0) return false;
            _remaining--;
            ulong start = _previous + _reader.ReadVarint();
            _previous = start + _reader.ReadVarint();
            Current = new SequenceRange(start, _previous);
            return true;
        }
    }
}
