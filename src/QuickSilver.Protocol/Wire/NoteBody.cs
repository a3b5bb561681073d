using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.RepairNote"/>, and of a <see cref="DatagramKind.Note"/> of one packet: the place
/// of a packet that nodes of the same machine read in place. A note of several packets has more places behind it
/// (<see cref="NoteList"/>). O(1), allocates nothing.
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
internal readonly record struct NoteBody(SegmentName Segment, LentPlace Place)
{
    /// <summary>Bytes of the body.</summary>
    public const int Length = PlaceOffset + LentPlace.Bytes;

    /// <summary>Bytes of the whole datagram.</summary>
    public const int DatagramLength = DatagramHeader.Length + Length;

    /// <summary>Bytes of the segment's name, ahead of the first place.</summary>
    internal const int PlaceOffset = 16;

    private const int ProcessOffset = 8;
    private const int DescriptorOffset = 12;

    /// <summary>True when no packet is meant: every receiver that can should open the segment.</summary>
    public bool IsOffer => Place.Length == 0;

    /// <summary>Writes the body.</summary>
    /// <param name="body">Destination, at least <see cref="Length"/> bytes.</param>
    public void WriteTo(Span<byte> body)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(body, Segment.Key);
        BinaryPrimitives.WriteUInt32LittleEndian(body[ProcessOffset..], Segment.Process);
        BinaryPrimitives.WriteUInt32LittleEndian(body[DescriptorOffset..], Segment.Descriptor);
        Place.WriteTo(body[PlaceOffset..]);
    }

    /// <summary>Reads a body; false when it is malformed. The place it names may not exist.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out NoteBody note)
    {
        note = default;
        if (body.Length != Length) return false;
        bool isPlace = LentPlace.TryRead(body[PlaceOffset..], out LentPlace place);
        note = new NoteBody(SegmentIn(body), place);
        return isPlace;
    }

    /// <summary>The segment that a body names.</summary>
    /// <param name="body">At least <see cref="PlaceOffset"/> bytes.</param>
    internal static SegmentName SegmentIn(ReadOnlySpan<byte> body) => new(
        BinaryPrimitives.ReadUInt64LittleEndian(body),
        BinaryPrimitives.ReadUInt32LittleEndian(body[ProcessOffset..]),
        BinaryPrimitives.ReadUInt32LittleEndian(body[DescriptorOffset..]));
}
