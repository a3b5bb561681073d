namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.TimedGone"/>: packets that their sender does not hold any longer. The header's
/// sequence is the oldest packet that it still holds, or the next that it will send: all before are gone.
/// <code>
/// group       varint   counter of the group's id
/// ranges      SequenceRangeList, at most 64: further packets that are gone, none below the header's sequence
/// </code>
/// </summary>
internal readonly ref struct TimedGoneBody
{
    /// <summary>Limit on the ranges in one body.</summary>
    public const int MaxRanges = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = 5 + 10 + (MaxRanges * 20);

    /// <summary>Counter of the group's id.</summary>
    public uint Group { get; private init; }

    /// <summary>The packets above the oldest that are gone.</summary>
    public SequenceRangeList Ranges { get; private init; }

    /// <summary>Writes a body.</summary>
    public static void Write(ref WireWriter writer, uint group, scoped ReadOnlySpan<SequenceRange> ranges)
    {
        writer.WriteVarint(group);
        SequenceRangeList.Write(ref writer, ranges);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    /// <param name="body">The body.</param>
    /// <param name="oldest">The header's sequence.</param>
    /// <param name="gone">What was read.</param>
    public static bool TryRead(ReadOnlySpan<byte> body, ulong oldest, out TimedGoneBody gone)
    {
        var reader = new WireReader(body);
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        SequenceRangeList ranges = SequenceRangeList.Read(ref reader, MaxRanges);
        gone = new TimedGoneBody { Group = group, Ranges = ranges };
        if (!reader.IsAtEnd || group == 0 || oldest is 0 or > TimedPlace.MaxSequence) return false;
        foreach (SequenceRange range in ranges) return range.Start > oldest;
        return true;
    }
}
