using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// Payload of a <see cref="RecordKind.Held"/> record: what a site holds of the streams of one node of another.
/// <code>
/// origin  8 bytes  key of that node; never 0
/// count   varint   streams, at most 64
/// streams each: group varint, the difference to the one before, at least 1;
///               held varint: all numbers up to it have come, or never will
/// </code>
/// </summary>
internal readonly ref struct HeldList
{
    /// <summary>Limit on the streams in one list.</summary>
    public const int MaxStreams = 64;

    /// <summary>The longest list.</summary>
    public const int MaxLength = 8 + 1 + (MaxStreams * 15);

    private readonly ReadOnlySpan<byte> _bytes;

    private HeldList(ulong origin, int count, ReadOnlySpan<byte> bytes)
    {
        Origin = origin;
        Count = count;
        _bytes = bytes;
    }

    /// <summary>Key of the node that sent the streams.</summary>
    public ulong Origin { get; }

    /// <summary>How many streams are named.</summary>
    public int Count { get; }

    /// <summary>Writes a list.</summary>
    /// <param name="writer">The payload.</param>
    /// <param name="origin">Key of the node that sent the streams.</param>
    /// <param name="streams">By group, ascending; at most <see cref="MaxStreams"/>.</param>
    public static void Write(
        ref WireWriter writer, ulong origin, scoped ReadOnlySpan<(uint Group, ulong Held)> streams)
    {
        writer.WriteUInt64(origin);
        writer.WriteVarint((ulong)streams.Length);
        uint before = 0;
        foreach ((uint group, ulong held) in streams)
        {
            writer.WriteVarint(group - before);
            writer.WriteVarint(held);
            before = group;
        }
    }

    /// <summary>Reads a list; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> payload, out HeldList list)
    {
        var reader = new WireReader(payload);
        ulong origin = reader.ReadUInt64();
        int count = (int)reader.ReadVarint(MaxStreams);
        list = new HeldList(origin, count, payload[(payload.Length - reader.Remaining)..]);
        ulong group = 0;
        for (int index = 0; index < count; index++)
        {
            ulong step = reader.ReadVarint(uint.MaxValue);
            group += step;
            reader.ReadVarint();
            if (reader.Failed || step == 0 || group > uint.MaxValue) return false;
        }
        return reader.IsAtEnd && origin != 0;
    }

    /// <summary>Goes through the streams.</summary>
    public Enumerator GetEnumerator() => new(_bytes, Count);

    /// <summary>Goes through the streams.</summary>
    public ref struct Enumerator
    {
        private WireReader _reader;
        private int _remaining;
        private uint _group;

        internal Enumerator(ReadOnlySpan<byte> bytes, int count)
        {
            _reader = new WireReader(bytes);
            _remaining = count;
        }

        /// <summary>The present stream.</summary>
        public (uint Group, ulong Held) Current { get; private set; }

        /// <summary>Advances to the next stream.</summary>
        public bool MoveNext()
        {
            if (_remaining == 0) return false;
            _remaining--;
            _group += (uint)_reader.ReadVarint();
            Current = (_group, _reader.ReadVarint());
            return true;
        }
    }
}
