using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.Note"/> or <see cref="DatagramKind.RepairNote"/>: the place of a packet that nodes
/// of the same machine read in place. Of fixed length, so that notes form a train.
/// <code>
/// off len field
///   0   8 segment      its key
///   8   4 process      that has the segment open
///  12   4 descriptor   the process's descriptor of it
///  16   4 block
///  20   4 generation   how often the block had been used before
///  24   4 offset       in the block
///  28   4 length       of the packet, header included; 0: the segment is only offered
/// </code>
/// </summary>
/// <param name="Segment">The segment.</param>
/// <param name="Place">The packet's place.</param>
public readonly record struct NoteBody(SegmentName Segment, LentPlace Place)
{
    /// <summary>Bytes of the body.</summary>
    public const int Length = 32;

    /// <summary>Bytes of the whole datagram.</summary>
    public const int DatagramLength = DatagramHeader.Length + Length;

    private const int ProcessOffset = 8;
    private const int DescriptorOffset = 12;
    private const int BlockOffset = 16;
    private const int GenerationOffset = 20;
    private const int PlaceOffset = 24;
    private const int LengthOffset = 28;

    /// <summary>True when no packet is meant: every receiver that can should open the segment.</summary>
    public bool IsOffer => Place.Length == 0;

    /// <summary>Writes the body.</summary>
    public void WriteTo(Span<byte> body)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(body, Segment.Key);
        BinaryPrimitives.WriteUInt32LittleEndian(body[ProcessOffset..], Segment.Process);
        BinaryPrimitives.WriteUInt32LittleEndian(body[DescriptorOffset..], Segment.Descriptor);
        BinaryPrimitives.WriteUInt32LittleEndian(body[BlockOffset..], Place.Block);
        BinaryPrimitives.WriteUInt32LittleEndian(body[GenerationOffset..], Place.Generation);
        BinaryPrimitives.WriteInt32LittleEndian(body[PlaceOffset..], Place.Offset);
        BinaryPrimitives.WriteInt32LittleEndian(body[LengthOffset..], Place.Length);
    }

    /// <summary>Reads a body; false when it is malformed. The place it names may not exist.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out NoteBody note)
    {
        note = default;
        if (body.Length != Length) return false;
        note = new NoteBody(
            new SegmentName(
                BinaryPrimitives.ReadUInt64LittleEndian(body),
                BinaryPrimitives.ReadUInt32LittleEndian(body[ProcessOffset..]),
                BinaryPrimitives.ReadUInt32LittleEndian(body[DescriptorOffset..])),
            new LentPlace(
                BinaryPrimitives.ReadUInt32LittleEndian(body[BlockOffset..]),
                BinaryPrimitives.ReadUInt32LittleEndian(body[GenerationOffset..]),
                BinaryPrimitives.ReadInt32LittleEndian(body[PlaceOffset..]),
                BinaryPrimitives.ReadInt32LittleEndian(body[LengthOffset..])));
        LentPlace place = note.Place;
        return place.Offset >= 0 && place.Length is 0 or (>= DatagramHeader.Length and <= DatagramHeader.MaxDatagram);
    }
}
