namespace QuickSilver.Protocol.Wire;

/// <summary>
/// One piece of a long message: what a message whose record has the piece bit contains (<see cref="PacketRecord"/>).
/// <code>
/// flags      1 byte   bit 0: the first piece; bit 1: the last piece; bit 2, alone: the sender has given up;
///                     bit 3, with bit 0: the sender sends it as a publisher
/// id         varint   from 1; the sender uses none twice
/// offset     varint   position of the bytes in the long message; 0 in the first piece
/// bytes               up to the end; none when the sender has given up, at least one in a piece between two others
/// </code>
/// The pieces of one long message are messages of one (sender, group), in order. Other messages may lie between them.
/// </summary>
internal readonly ref struct MessagePiece
{
    /// <summary>Upper bound of the bytes before the piece's own.</summary>
    public const int MaxHeadLength = 1 + 10 + 9;

    /// <summary>The longest long message: no sum of offset and length overflows.</summary>
    public const ulong MaxLength = 1UL << 62;

    private const byte FirstBit = 1;
    private const byte LastBit = 2;
    private const byte GivenUpBit = 4;
    private const byte PublishedBit = 8;

    /// <summary>Names the long message among those of its sender.</summary>
    public ulong Id { get; private init; }

    /// <summary>Position of <see cref="Bytes"/>, and so the length of all pieces before.</summary>
    public ulong Offset { get; private init; }

    /// <summary>True for the piece that begins the long message.</summary>
    public bool IsFirst { get; private init; }

    /// <summary>True for the piece that completes the long message.</summary>
    public bool IsLast { get; private init; }

    /// <summary>True when the sender has given up: no piece follows, and the message stays incomplete.</summary>
    public bool IsGivenUp { get; private init; }

    /// <summary>True for the first piece of a long message of a publisher: that no view names its sender says
    /// nothing.</summary>
    public bool IsPublished { get; private init; }

    /// <summary>Position of <see cref="Bytes"/> in the piece.</summary>
    public int BytesOffset { get; private init; }

    /// <summary>The piece's bytes.</summary>
    public ReadOnlySpan<byte> Bytes { get; private init; }

    /// <summary>Writes what precedes the bytes of a piece.</summary>
    /// <param name="writer">Room for <see cref="MaxHeadLength"/>.</param>
    /// <param name="id">The long message.</param>
    /// <param name="offset">The length of all pieces before; the piece is the first when there are none.</param>
    /// <param name="isFirst">True for the first piece.</param>
    /// <param name="isLast">True for the last piece.</param>
    /// <param name="isPublished">True for pieces of a publisher; the first piece says so.</param>
    public static void WriteHead(
        ref WireWriter writer, ulong id, ulong offset, bool isFirst, bool isLast, bool isPublished = false)
    {
        System.Diagnostics.Debug.Assert(!isFirst || offset == 0, "the first piece begins the message");
        int first = isPublished ? FirstBit | PublishedBit : FirstBit;
        writer.WriteByte((byte)((isFirst ? first : 0) | (isLast ? LastBit : 0)));
        writer.WriteVarint(id);
        writer.WriteVarint(offset);
    }

    /// <summary>Writes the piece that says that the sender has given up.</summary>
    public static void WriteGivenUp(ref WireWriter writer, ulong id, ulong offset)
    {
        writer.WriteByte(GivenUpBit);
        writer.WriteVarint(id);
        writer.WriteVarint(offset);
    }

    /// <summary>Reads a piece; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> message, out MessagePiece piece)
    {
        var reader = new WireReader(message);
        byte flags = reader.ReadByte();
        ulong id = reader.ReadVarint();
        ulong offset = reader.ReadVarint(MaxLength);
        int start = message.Length - reader.Remaining;
        ReadOnlySpan<byte> bytes = reader.ReadBytes(reader.Remaining);
        bool isFirst = (flags & FirstBit) != 0;
        bool isGivenUp = flags == GivenUpBit;
        bool isPublished = (flags & PublishedBit) != 0;
        if (!isGivenUp && (flags & ~(FirstBit | LastBit | PublishedBit)) != 0) reader.Fail();
        if (isPublished && !isFirst) reader.Fail();
        if (id == 0 || (isFirst && offset != 0)) reader.Fail();
        if (isGivenUp && !bytes.IsEmpty) reader.Fail();
        // Empty pieces between two others would be work for nothing.
        if (flags == 0 && bytes.IsEmpty) reader.Fail();
        piece = new MessagePiece
        {
            Id = id,
            Offset = offset,
            IsFirst = isFirst,
            IsLast = (flags & LastBit) != 0,
            IsGivenUp = isGivenUp,
            IsPublished = isPublished,
            BytesOffset = start,
            Bytes = bytes,
        };
        return !reader.Failed;
    }
}
