using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>A packet's place in a segment. O(1), allocates nothing.</summary>
/// <param name="Block">The block, from 0.</param>
/// <param name="Generation">How often the block had been used before: a packet of an earlier generation is
/// gone.</param>
/// <param name="Offset">Where the packet begins in the block.</param>
/// <param name="Length">The packet's length; 0: no packet is meant.</param>
internal readonly record struct LentPlace(uint Block, uint Generation, int Offset, int Length)
{
    /// <summary>Bytes of a place.</summary>
    public const int Bytes = 16;

    private const int GenerationOffset = 4;
    private const int PlaceOffset = 8;
    private const int LengthOffset = 12;

    /// <summary>Writes a place.</summary>
    /// <param name="place">Destination, at least <see cref="Bytes"/> long.</param>
    public void WriteTo(Span<byte> place)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(place, Block);
        BinaryPrimitives.WriteUInt32LittleEndian(place[GenerationOffset..], Generation);
        BinaryPrimitives.WriteInt32LittleEndian(place[PlaceOffset..], Offset);
        BinaryPrimitives.WriteInt32LittleEndian(place[LengthOffset..], Length);
    }

    /// <summary>Reads a place; false when no packet can lie there. It may not exist.</summary>
    /// <param name="bytes">At least <see cref="Bytes"/> bytes.</param>
    /// <param name="place">The place.</param>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out LentPlace place)
    {
        place = new LentPlace(
            BinaryPrimitives.ReadUInt32LittleEndian(bytes),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[GenerationOffset..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[PlaceOffset..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[LengthOffset..]));
        return place.Offset >= 0 && place.Length is 0 or (>= DatagramHeader.Length and <= DatagramHeader.MaxDatagram);
    }
}
