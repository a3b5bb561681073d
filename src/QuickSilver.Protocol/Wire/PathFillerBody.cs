using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.PathFiller"/>. Only its length matters.
/// <code>
/// off len field
///   0   4 nonce     of the query that asked for it
///   4     zeros     up to the requested length
/// </code>
/// </summary>
internal static class PathFillerBody
{
    /// <summary>Bytes of the shortest whole datagram.</summary>
    public const int ShortestDatagram = DatagramHeader.Length + NonceBytes;

    private const int NonceBytes = 4;

    /// <summary>Writes a body that fills its room.</summary>
    public static void Write(Span<byte> body, uint nonce)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(body, nonce);
        body[NonceBytes..].Clear();
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out uint nonce)
    {
        nonce = 0;
        if (body.Length < NonceBytes || body[NonceBytes..].ContainsAnyExcept((byte)0)) return false;
        nonce = BinaryPrimitives.ReadUInt32LittleEndian(body);
        return true;
    }
}
