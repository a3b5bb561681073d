namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.Nak"/>: packets that the asking member, or its whole partition, lacks. The
/// header's sender is the asker.
/// <code>
/// wide        1 byte  1: nobody in the asker's partition holds them, so answer to the region; 0: answer to the asker
/// ranges      SequenceRangeList, at most 64
/// </code>
/// </summary>
internal readonly ref struct NakBody
{
    /// <summary>Limit on the ranges in one NAK; the remaining ranges wait for the next.</summary>
    public const int MaxRanges = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = 1 + 10 + (MaxRanges * 20);

    /// <summary>True when nobody in the asker's partition holds the packets.</summary>
    public bool PartitionWide { get; private init; }

    /// <summary>The requested packets.</summary>
    public SequenceRangeList Ranges { get; private init; }

    /// <summary>Writes a body.</summary>
    public static void Write(ref WireWriter writer, bool partitionWide, scoped ReadOnlySpan<SequenceRange> ranges)
    {
        writer.WriteByte(partitionWide ? (byte)1 : (byte)0);
        SequenceRangeList.Write(ref writer, ranges);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out NakBody nak)
    {
        var reader = new WireReader(body);
        byte wide = reader.ReadByte();
        SequenceRangeList ranges = SequenceRangeList.Read(ref reader, MaxRanges);
        nak = new NakBody { PartitionWide = wide == 1, Ranges = ranges };
        return reader.IsAtEnd && wide <= 1 && ranges.Count > 0;
    }
}
