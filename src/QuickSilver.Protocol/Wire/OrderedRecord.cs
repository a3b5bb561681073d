namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A message, or a part of one, in a packet of a ring. The parts of a message are in packets of its sender that follow
/// each other, and stand alone or first there, but for the first part.
/// <code>
/// flags       1 byte   bit 0: first part; bit 1: last part; bit 2: safe
/// group       varint   counter of the group's id
/// number      varint   message number, from 1, per (sender, group)
/// length      varint   of the bytes
/// bytes
/// </code>
/// </summary>
internal readonly struct OrderedRecord
{
    /// <summary>The most bytes beside those of the message.</summary>
    public const int MaxOverhead = 1 + 5 + 10 + 5;

    private const byte FirstBit = 1;
    private const byte LastBit = 2;
    private const byte SafeBit = 4;

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

    /// <summary>Where the bytes begin.</summary>
    public int Offset { get; init; }

    /// <summary>How many bytes there are.</summary>
    public int Length { get; init; }

    /// <summary>Writes a record.</summary>
    public void WriteTo(ref WireWriter writer, ReadOnlySpan<byte> bytes)
    {
        writer.WriteByte((byte)((IsFirst ? FirstBit : 0) | (IsLast ? LastBit : 0) | (IsSafe ? SafeBit : 0)));
        writer.WriteVarint(Group);
        writer.WriteVarint(Number);
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
        int length = (int)reader.ReadVarint(ushort.MaxValue);
        int offset = body.Length - reader.Remaining;
        record = new OrderedRecord
        {
            Group = group,
            Number = number,
            IsFirst = (flags & FirstBit) != 0,
            IsLast = (flags & LastBit) != 0,
            IsSafe = (flags & SafeBit) != 0,
            Offset = offset,
            Length = length,
        };
        if (reader.Failed || flags > (FirstBit | LastBit | SafeBit) || group == 0 || number == 0) return false;
        if (length > reader.Remaining) return false;
        at = offset + length;
        return true;
    }
}
