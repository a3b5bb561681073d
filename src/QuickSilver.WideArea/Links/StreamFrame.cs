using System.Buffers.Binary;
using System.Diagnostics;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// How the datagrams of a link follow each other in a connection.
/// <code>
/// 0   2   bytes of the datagram, little-endian: 51 to 2048
/// 2       a sealed datagram (<see cref="SealedLink"/>)
/// </code>
/// </summary>
internal static class StreamFrame
{
    /// <summary>Bytes before the datagram.</summary>
    public const int HeadBytes = 2;

    /// <summary>Bytes of the longest frame.</summary>
    public const int MostBytes = HeadBytes + GatewaySocket.BufferBytes;

    /// <summary>Measures the frame at the beginning of bytes that came.</summary>
    /// <returns>Its bytes with the head; 0 when it is not whole yet; negative when it has a length that none has.
    /// </returns>
    public static int Measure(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeadBytes) return 0;
        int length = BinaryPrimitives.ReadUInt16LittleEndian(bytes);
        if (length is <= SealedLink.Overhead or > GatewaySocket.BufferBytes) return -1;
        return bytes.Length >= HeadBytes + length ? HeadBytes + length : 0;
    }

    /// <summary>Writes the head of a datagram.</summary>
    public static void WriteHead(Span<byte> frame, int length)
    {
        Debug.Assert(length is > SealedLink.Overhead and <= GatewaySocket.BufferBytes, "the datagram is a sealed one");
        BinaryPrimitives.WriteUInt16LittleEndian(frame, (ushort)length);
    }
}
