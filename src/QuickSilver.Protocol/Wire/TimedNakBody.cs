namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.TimedNak"/> and a <see cref="DatagramKind.TimedAsk"/>: packets of one sender that
/// the asker lacks. The header's sender is the asker, its sequence the <see cref="NodeNumber.Key"/> of the sender that
/// is asked.
/// <code>
/// flags       1 byte   bit 0: asked before in vain, answer by unicast too; bit 1: an echo follows
/// group       varint   counter of the group's id
/// [echo]      varint   the probe; then varint: time since it came, in microseconds
/// ranges      SequenceRangeList, at most 64
/// </code>
/// </summary>
internal readonly ref struct TimedNakBody
{
    /// <summary>Limit on the ranges in one body.</summary>
    public const int MaxRanges = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = 1 + 5 + 15 + 10 + (MaxRanges * 20);

    private const byte DirectBit = 1;
    private const byte EchoBit = 2;

    /// <summary>Counter of the group's id.</summary>
    public uint Group { get; private init; }

    /// <summary>True when an earlier request was in vain: the answer goes to the asker by unicast, too.</summary>
    public bool IsDirect { get; private init; }

    /// <summary>The last probe that came; 0: none.</summary>
    public ulong Probe { get; private init; }

    /// <summary>Time since the probe came.</summary>
    public TimeSpan Held { get; private init; }

    /// <summary>The requested packets.</summary>
    public SequenceRangeList Ranges { get; private init; }

    /// <summary>Writes a body.</summary>
    public static void Write(
        ref WireWriter writer,
        uint group,
        bool isDirect,
        ulong probe,
        TimeSpan held,
        scoped ReadOnlySpan<SequenceRange> ranges)
    {
        writer.WriteByte((byte)((isDirect ? DirectBit : 0) | (probe > 0 ? EchoBit : 0)));
        writer.WriteVarint(group);
        if (probe > 0) TimedEchoBody.WriteEcho(ref writer, probe, held);
        SequenceRangeList.Write(ref writer, ranges);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out TimedNakBody nak)
    {
        var reader = new WireReader(body);
        byte flags = reader.ReadByte();
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        ulong probe = 0;
        TimeSpan held = default;
        if ((flags & EchoBit) != 0 && !TimedEchoBody.TryReadEcho(ref reader, out probe, out held)) reader.Fail();
        SequenceRangeList ranges = SequenceRangeList.Read(ref reader, MaxRanges);
        nak = new TimedNakBody
        {
            Group = group,
            IsDirect = (flags & DirectBit) != 0,
            Probe = probe,
            Held = held,
            Ranges = ranges,
        };
        return reader.IsAtEnd && flags <= (DirectBit | EchoBit) && group > 0 && ranges.Count > 0;
    }
}
