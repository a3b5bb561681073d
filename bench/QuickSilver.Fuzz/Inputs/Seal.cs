using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Inputs;

/// <summary>Makes a damaged datagram look whole: right length, right checksums. What a checksum catches never reaches a
/// parser.</summary>
internal static class Seal
{
    private const int LengthOffset = 6;
    private const int FlagsOffset = 4;
    private const int HeaderChecksumOffset = 40;
    private const int PayloadChecksumOffset = 44;

    /// <summary>Repairs length and checksums in place; nothing when it is shorter than a header.</summary>
    public static void Repair(Span<byte> datagram)
    {
        if (datagram.Length < DatagramHeader.Length) return;
        BinaryPrimitives.WriteUInt16LittleEndian(datagram[LengthOffset..], (ushort)datagram.Length);
        bool isPacket = DatagramKinds.CarriesPacket(
            (DatagramKind)(datagram[DatagramHeader.KindOffset] & ~DatagramKinds.IgnorableBit));
        var flags = (DatagramFlags)BinaryPrimitives.ReadUInt16LittleEndian(datagram[FlagsOffset..]);
        if (isPacket && (flags & DatagramFlags.PayloadChecksum) != 0)
            BinaryPrimitives.WriteUInt32LittleEndian(
                datagram[PayloadChecksumOffset..], Crc32C.Of(datagram[DatagramHeader.Length..]));
        ReadOnlySpan<byte> guarded = isPacket
            ? datagram[PayloadChecksumOffset..DatagramHeader.Length] : datagram[PayloadChecksumOffset..];
        BinaryPrimitives.WriteUInt32LittleEndian(
            datagram[HeaderChecksumOffset..], Crc32C.Of(datagram[..HeaderChecksumOffset], guarded));
    }
}
