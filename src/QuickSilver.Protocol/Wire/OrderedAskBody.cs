namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of an <see cref="DatagramKind.OrderedAsk"/>: packets of a ring that has ended, which the asker lacks. The
/// header's sequence is the key of the node that is asked.
/// <code>
/// ring        RingId
/// ranges      SequenceRangeList, at most 64
/// </code>
/// </summary>
internal readonly ref struct OrderedAskBody
{
    /// <summary>Limit on the ranges.</summary>
    public const int MaxRanges = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = RingId.MaxLength + 10 + (MaxRanges * 20);

    /// <summary>The ring.</summary>
    public RingId Ring { get; private init; }

    /// <summary>The packets.</summary>
    public SequenceRangeList Ranges { get; private init; }

    /// <summary>Writes a body.</summary>
    public static void Write(ref WireWriter writer, RingId ring, scoped ReadOnlySpan<SequenceRange> ranges)
    {
        ring.WriteTo(ref writer);
        SequenceRangeList.Write(ref writer, ranges);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out OrderedAskBody ask)
    {
        var reader = new WireReader(body);
        RingId ring = RingId.Read(ref reader);
        SequenceRangeList ranges = SequenceRangeList.Read(ref reader, MaxRanges);
        ask = new OrderedAskBody { Ring = ring, Ranges = ranges };
        return reader.IsAtEnd && ranges.Count > 0;
    }
}
