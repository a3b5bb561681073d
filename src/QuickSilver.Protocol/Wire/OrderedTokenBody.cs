namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of an <see cref="DatagramKind.OrderedToken"/>: the right to number packets of a ring. The header's sequence is
/// the key of the node that it goes to.
/// <code>
/// ring        RingId
/// hop         varint   rises by one with each hop
/// sequence    varint   the last packet of the ring
/// held        varint   every member holds all packets up to this, as far as the token knows; at most the sequence
/// lowered by  8 bytes  key of the node that lowered held; 0: nobody
/// flow        varint   packets that were sent in the last round
/// step        varint   counter of the highest step that messages are sent in, less the counter of the ring
/// ranges      SequenceRangeList of packets that are asked for, at most 64
/// </code>
/// </summary>
internal readonly ref struct OrderedTokenBody
{
    /// <summary>Limit on the ranges.</summary>
    public const int MaxRanges = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = RingId.MaxLength + (5 * 10) + 8 + 10 + (MaxRanges * 20);

    /// <summary>The ring.</summary>
    public RingId Ring { get; init; }

    /// <summary>Number of the hop.</summary>
    public ulong Hop { get; init; }

    /// <summary>The last packet of the ring.</summary>
    public ulong Sequence { get; init; }

    /// <summary>Every member holds all packets up to this.</summary>
    public ulong Held { get; init; }

    /// <summary>The node that lowered <see cref="Held"/>; 0: nobody.</summary>
    public ulong LoweredBy { get; init; }

    /// <summary>Packets of the last round.</summary>
    public uint Flow { get; init; }

    /// <summary>Counter of the highest step that messages are sent in.</summary>
    public ulong Step { get; init; }

    /// <summary>Packets that are asked for.</summary>
    public SequenceRangeList Asked { get; private init; }

    /// <summary>Writes the body.</summary>
    public void WriteTo(scoped ref WireWriter writer, scoped ReadOnlySpan<SequenceRange> asked)
    {
        Ring.WriteTo(ref writer);
        writer.WriteVarint(Hop);
        writer.WriteVarint(Sequence);
        writer.WriteVarint(Held);
        writer.WriteUInt64(LoweredBy);
        writer.WriteVarint(Flow);
        writer.WriteVarint(Step - Ring.Counter);
        SequenceRangeList.Write(ref writer, asked);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out OrderedTokenBody token)
    {
        var reader = new WireReader(body);
        RingId ring = RingId.Read(ref reader);
        token = new OrderedTokenBody
        {
            Ring = ring,
            Hop = reader.ReadVarint(),
            Sequence = reader.ReadVarint(long.MaxValue),
            Held = reader.ReadVarint(),
            LoweredBy = reader.ReadUInt64(),
            Flow = (uint)reader.ReadVarint(uint.MaxValue),
            Step = ring.Counter + reader.ReadVarint(uint.MaxValue),
            Asked = SequenceRangeList.Read(ref reader, MaxRanges),
        };
        return reader.IsAtEnd && token.Hop > 0 && token.Held <= token.Sequence;
    }
}
