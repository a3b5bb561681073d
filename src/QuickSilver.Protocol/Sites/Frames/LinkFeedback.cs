using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// What one end of a link says of the packets that come to it: the body of a <see cref="LinkKind.Ack"/>, and the
/// beginning of each <see cref="LinkDataBody"/> and <see cref="LingerBody"/>.
/// <code>
/// cumulative  varint   all link numbers up to it have come
/// ahead       varint   the highest that has come, less the cumulative
/// bytes       varint   bytes of records that have come, duplicates excluded
/// time        varint   microseconds of the receiver's clock since it drew its epoch
/// echo        varint   link number of the newest packet that came; 0: none
/// [held]      varint   time since it came, in microseconds; only behind an echo
/// nacks       SequenceRangeList, at most 32: numbers that are missing, to be sent again
/// </code>
/// </summary>
internal readonly ref struct LinkFeedback
{
    /// <summary>Limit on the ranges in one body.</summary>
    public const int MaxRanges = 32;

    /// <summary>The longest form with so many ranges.</summary>
    public static int LengthOf(int ranges) => (6 * 10) + 1 + (ranges * 20);

    /// <summary>All link numbers up to it have come.</summary>
    public ulong Cumulative { get; init; }

    /// <summary>The highest link number that has come.</summary>
    public ulong Highest { get; init; }

    /// <summary>Bytes of records that have come, duplicates excluded.</summary>
    public ulong Bytes { get; init; }

    /// <summary>The receiver's clock, since it drew its epoch.</summary>
    public TimeSpan Time { get; init; }

    /// <summary>Link number of the newest packet that came; 0: none.</summary>
    public ulong Echo { get; init; }

    /// <summary>Time since it came.</summary>
    public TimeSpan Held { get; init; }

    /// <summary>Numbers that are missing.</summary>
    public SequenceRangeList Nacks { get; private init; }

    /// <summary>Writes it.</summary>
    /// <param name="writer">The body.</param>
    /// <param name="nacks">Numbers that are missing, at most <see cref="MaxRanges"/> ranges.</param>
    public void Write(ref WireWriter writer, scoped ReadOnlySpan<SequenceRange> nacks)
    {
        writer.WriteVarint(Cumulative);
        writer.WriteVarint(Highest - Cumulative);
        writer.WriteVarint(Bytes);
        WireTime.Write(ref writer, Time);
        writer.WriteVarint(Echo);
        if (Echo > 0) WireTime.Write(ref writer, Held);
        SequenceRangeList.Write(ref writer, nacks);
    }

    /// <summary>Reads it; a bad one fails the reader.</summary>
    public static LinkFeedback Read(scoped ref WireReader reader)
    {
        ulong cumulative = reader.ReadVarint();
        ulong ahead = reader.ReadVarint(ulong.MaxValue - cumulative);
        ulong bytes = reader.ReadVarint();
        TimeSpan time = WireTime.Read(ref reader);
        ulong echo = reader.ReadVarint();
        TimeSpan held = echo > 0 ? WireTime.Read(ref reader) : default;
        return new LinkFeedback
        {
            Cumulative = cumulative,
            Highest = cumulative + ahead,
            Bytes = bytes,
            Time = time,
            Echo = echo,
            Held = held,
            Nacks = SequenceRangeList.Read(ref reader, MaxRanges),
        };
    }

    /// <summary>Reads the body of an ack; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out LinkFeedback feedback)
    {
        var reader = new WireReader(body);
        feedback = Read(ref reader);
        return reader.IsAtEnd;
    }
}
