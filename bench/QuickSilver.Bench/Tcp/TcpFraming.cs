using System.Buffers.Binary;

namespace QuickSilver.Bench.Tcp;

/// <summary>Messages on a TCP connection: four bytes of length, little endian, then the message.</summary>
internal static class TcpFraming
{
    /// <summary>Bytes of the length.</summary>
    public const int HeadBytes = 4;

    /// <summary>Bytes that a sender gathers at most before it writes.</summary>
    public const int BatchBytes = 64 << 10;

    /// <summary>Writes a length.</summary>
    public static void Write(Span<byte> head, int length) => BinaryPrimitives.WriteInt32LittleEndian(head, length);

    /// <summary>Reads a length.</summary>
    public static int Read(ReadOnlySpan<byte> head) => BinaryPrimitives.ReadInt32LittleEndian(head);
}
