namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A message, or a part of one, in a packet of a ring. The parts of a message are in packets of its sender that follow
/// each other, and stand alone or first there, but for the first part. A message to several groups is one record, so
/// it has one place in the order; each group has its own number for it.
/// <code>
/// flags       1 byte   bit 0: first part; bit 1: last part; bit 2: safe; bit 3: to several groups
/// group       varint   counter of the group's id
/// number      varint   message number, from 1, per (sender, group)
/// others      1 byte   how many further groups, 1 to 15; with bit 3 only
///   group     varint   greater than the one before it
///   number    varint   the message's number there
/// length      varint   of the bytes
/// bytes
/// </code>
/// </summary>
internal readonly struct OrderedRecord
{
    /// <summary>The most bytes beside those of the message.</summary>
    public const int MaxOverhead = 1 + 5 + 10 + 5;

    /// <summary>The most groups of one message: where they need the longest head, the shortest packet has room for
    /// it.</summary>
    public const int MaxGroups = 16;

    private const byte FirstBit = 1;
    private const byte LastBit = 2;
    private const byte SafeBit = 4;
    private const byte SeveralBit = 8;
    private const int MaxPlace = 5 + 10;

    /// <summary>Counter of the group's id.</summary>
    public uint Group { get; init; }

    /// <summary>Message number.</summary>
    public ulong Number { get; init; }

    /// <summary>True for the first part.</summary>
    public bool IsFirst { get; init; }

    /// <summary>True for the last part.</summary>
    public bool IsLast { get; init; }

    /// <summary>True when every member must hold the message before it is delivered.</summary>
    public bool IsSafe { get; init; }

    /// <summary>How many groups it goes to beside <see cref="Group"/>.</summary>
    public int Others { get; private init; }

    /// <summary>Where the others begin.</summary>
    public int OthersAt { get; private init; }

    /// <summary>Where the bytes begin.</summary>
    public int Offset { get; init; }

    /// <summary>How many bytes there are.</summary>
    public int Length { get; init; }

    /// <summary>The most bytes beside those of a message to so many groups.</summary>
    public static int OverheadOf(int groups) => groups == 1 ? MaxOverhead : MaxOverhead + 1 + ((groups - 1) * MaxPlace);

    /// <summary>Writes a record.</summary>
    /// <param name="writer">Where to.</param>
    /// <param name="bytes">The bytes of the message, or of its part.</param>
    /// <param name="others">The groups beside <see cref="Group"/>, each greater than the one before it.</param>
    public void WriteTo(
        ref WireWriter writer, ReadOnlySpan<byte> bytes, scoped ReadOnlySpan<OrderedPlace> others = default)
    {
        writer.WriteByte((byte)((IsFirst ? FirstBit : 0) | (IsLast ? LastBit : 0) | (IsSafe ? SafeBit : 0)
            | (others.IsEmpty ? 0 : SeveralBit)));
        writer.WriteVarint(Group);
        writer.WriteVarint(Number);
        if (!others.IsEmpty) writer.WriteByte((byte)others.Length);
        foreach (OrderedPlace other in others)
        {
            writer.WriteVarint(other.Group);
            writer.WriteVarint(other.Number);
        }
        writer.WriteVarint((ulong)bytes.Length);
        writer.WriteBytes(bytes);
    }

    /// <summary>Reads the record at a place, and moves the place behind it; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, ref int at, out OrderedRecord record)
    {
        var reader = new WireReader(body[at..]);
        byte flags = reader.ReadByte();
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        ulong number = reader.ReadVarint();
        int others = (flags & SeveralBit) == 0 ? 0 : reader.ReadByte();
        bool areOthers = others > 0 == ((flags & SeveralBit) != 0) && others < MaxGroups;
        int othersAt = body.Length - reader.Remaining;
        uint before = group;
        for (int index = 0; areOthers && index < others; index++)
        {
            var place = OrderedPlace.Read(ref reader);
            areOthers = place.Group > before && place.Number > 0;
            before = place.Group;
        }
        int length = (int)reader.ReadVarint(ushort.MaxValue);
        int offset = body.Length - reader.Remaining;
        record = new OrderedRecord
        {
            Group = group,
            Number = number,
            IsFirst = (flags & FirstBit) != 0,
            IsLast = (flags & LastBit) != 0,
            IsSafe = (flags & SafeBit) != 0,
            Others = others,
            OthersAt = othersAt,
            Offset = offset,
            Length = length,
        };
        if (reader.Failed || !areOthers || group == 0 || number == 0) return false;
        if (flags > (FirstBit | LastBit | SafeBit | SeveralBit)) return false;
        if (length > reader.Remaining) return false;
        at = offset + length;
        return true;
    }

    /// <summary>The groups that a record goes to, the first one included, with its number in each.</summary>
    /// <param name="body">What the record was read from.</param>
    /// <param name="places">Room for <see cref="MaxGroups"/> of them.</param>
    /// <returns>How many there are.</returns>
    public int CopyPlaces(ReadOnlySpan<byte> body, Span<OrderedPlace> places)
    {
        places[0] = new OrderedPlace(Group, Number);
        if (Others == 0) return 1;
        var reader = new WireReader(body[OthersAt..]);
        for (int index = 1; index <= Others; index++) places[index] = OrderedPlace.Read(ref reader);
        return Others + 1;
    }
}
