using System.Buffers.Binary;
using System.Numerics;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// CRC-32C (Castagnoli) by the processor's instruction, eight bytes at a time. It guards against damage, not against malice.
/// </summary>
public static class Crc32C
{
    /// <summary>The checksum of <paramref name="bytes"/>.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes) => ~Append(~0u, bytes);

    /// <summary>The checksum of two pieces as if they were one.</summary>
    public static uint Of(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) => ~Append(Append(~0u, first), second);

    private static uint Append(uint crc, ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length >= 8)
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[8..];
        }
        foreach (byte value in bytes) crc = BitOperations.Crc32C(crc, value);
        return crc;
    }
}
