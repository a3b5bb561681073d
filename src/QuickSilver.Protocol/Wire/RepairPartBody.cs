using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.RepairPart"/>: a part of the bytes of a <see cref="DatagramKind.Repair"/>
/// datagram, header included. The part's own header names the same view, sender, sequence and peer. The header's
/// checksum guards the whole part.
/// <code>
/// off len field
///   0   2 total     bytes of the whole datagram, more than 48
///   2   2 offset    of the first byte in this part
///   4     bytes     at least one
/// </code>
/// </summary>
internal readonly ref struct RepairPartBody
{
    /// <summary>Bytes of a part's datagram in addition to the carried ones.</summary>
    public const int Overhead = DatagramHeader.Length + BytesOffset;

    private const int OffsetOffset = 2;
    private const int BytesOffset = 4;

    /// <summary>Length of the whole datagram.</summary>
    public int Total { get; private init; }

    /// <summary>Position of the bytes in it.</summary>
    public int Offset { get; private init; }

    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Bytes { get; private init; }

    /// <summary>Writes a body that fills its room.</summary>
    /// <param name="body">The room.</param>
    /// <param name="whole">The whole datagram.</param>
    /// <param name="offset">Where the part begins in it.</param>
    public static void Write(Span<byte> body, ReadOnlySpan<byte> whole, int offset)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(body, (ushort)whole.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(body[OffsetOffset..], (ushort)offset);
        whole.Slice(offset, body.Length - BytesOffset).CopyTo(body[BytesOffset..]);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out RepairPartBody part)
    {
        part = default;
        if (body.Length <= BytesOffset) return false;
        int total = BinaryPrimitives.ReadUInt16LittleEndian(body);
        int offset = BinaryPrimitives.ReadUInt16LittleEndian(body[OffsetOffset..]);
        int length = body.Length - BytesOffset;
        if (total is <= DatagramHeader.Length or > DatagramHeader.MaxDatagram || offset + length > total) return false;
        part = new RepairPartBody { Total = total, Offset = offset, Bytes = body[BytesOffset..] };
        return true;
    }
}
