using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The protected part of a packet of a region view: what lateral repairs of the view combine. It is the packet's body,
/// and what tells the body from another: members that hold one packet have one block, however it came to them.
/// <code>
/// off len field
///   0   4 checksum     CRC-32C of sender, sequence, the view's counter and tag, and of everything from byte 4
///   4   2 length       low 15 bits: bytes of the body; high bit: the packet was sent to its group's address
///   6     body         of the packet
/// </code>
/// In a combination each block is followed by zeros, up to the longest.
/// </summary>
public static class RegionBlock
{
    /// <summary>Bytes of checksum and length.</summary>
    public const int HeadLength = 6;

    /// <summary>The longest block. Longer packets have no lateral repairs.</summary>
    public const int MaxLength = LateralBlock.MaxLength;

    private const int HybridBit = 1 << 15;

    /// <summary>Length of a packet's block; may be more than <see cref="MaxLength"/>.</summary>
    /// <param name="packet">Bytes of the packet's datagram.</param>
    public static int LengthOf(int packet) => packet - DatagramHeader.Length + HeadLength;

    /// <summary>The name of a packet in combinations.</summary>
    /// <param name="sender"><see cref="NodeNumber.Key"/> of its sender.</param>
    /// <param name="sequence">Its sequence.</param>
    /// <param name="viewCounter">Counter of its view.</param>
    /// <param name="viewTag">Tag of its view.</param>
    public static LateralId Name(ulong sender, ulong sequence, uint viewCounter, uint viewTag) =>
        new(sender, viewCounter, sequence, viewTag);

    /// <summary>Writes a packet's block.</summary>
    /// <param name="room">Receives it.</param>
    /// <param name="name">The packet's name.</param>
    /// <param name="datagram">The packet as it is kept: data or repair, with its header.</param>
    /// <returns>Its length; 0 when the packet is too long.</returns>
    public static int Write(Span<byte> room, in LateralId name, ReadOnlySpan<byte> datagram)
    {
        int length = LengthOf(datagram.Length);
        if (length > MaxLength || datagram.Length < DatagramHeader.Length) return 0;
        datagram[DatagramHeader.Length..].CopyTo(room[HeadLength..]);
        int field = length - HeadLength;
        if ((DatagramHeader.FlagsOf(datagram) & DatagramFlags.Hybrid) != 0) field |= HybridBit;
        BinaryPrimitives.WriteUInt16LittleEndian(room[4..], (ushort)field);
        BinaryPrimitives.WriteUInt32LittleEndian(room, LateralBlock.Checksum(room[..length], name));
        return length;
    }

    /// <summary>Reads a block, which zeros may follow, and checks that it is the packet's.</summary>
    /// <param name="padded">The block.</param>
    /// <param name="name">The packet's name.</param>
    /// <param name="body">The packet's body.</param>
    /// <param name="flags">Those of the packet's flags that its block has.</param>
    /// <returns>False when it is malformed or another packet's.</returns>
    public static bool TryRead(
        ReadOnlySpan<byte> padded, in LateralId name, out ReadOnlySpan<byte> body, out DatagramFlags flags)
    {
        body = default;
        flags = DatagramFlags.None;
        if (padded.Length < HeadLength) return false;
        int field = BinaryPrimitives.ReadUInt16LittleEndian(padded[4..]);
        int length = HeadLength + (field & (HybridBit - 1));
        if (length > padded.Length || length > MaxLength || padded[length..].ContainsAnyExcept((byte)0)) return false;
        uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(padded);
        if (LateralBlock.Checksum(padded[..length], name) != checksum) return false;
        body = padded[HeadLength..length];
        if ((field & HybridBit) != 0) flags = DatagramFlags.Hybrid;
        return true;
    }
}
