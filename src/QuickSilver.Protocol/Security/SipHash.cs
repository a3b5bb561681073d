using System.Buffers.Binary;
using System.Numerics;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// SipHash-2-4, a keyed 64-bit hash for short inputs: the gate of sealed datagrams is cut from it. It only keeps junk
/// from the dearer check of the tag. Source: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012;
/// tested with the vectors of its reference. Cost: about 0.1 us for 60 bytes; allocates nothing.
/// </summary>
internal readonly struct SipHash
{
    /// <summary>Bytes of a key.</summary>
    public const int KeyBytes = 16;

    private const int WordBytes = 8;
    private readonly ulong _key0;
    private readonly ulong _key1;

    /// <summary>Takes a key of <see cref="KeyBytes"/> bytes.</summary>
    public SipHash(ReadOnlySpan<byte> key)
    {
        _key0 = BinaryPrimitives.ReadUInt64LittleEndian(key);
        _key1 = BinaryPrimitives.ReadUInt64LittleEndian(key[WordBytes..]);
    }

    /// <summary>The hash of some bytes.</summary>
    public ulong Of(ReadOnlySpan<byte> bytes)
    {
        ulong v0 = _key0 ^ 0x736F6D6570736575UL;
        ulong v1 = _key1 ^ 0x646F72616E646F6DUL;
        ulong v2 = _key0 ^ 0x6C7967656E657261UL;
        ulong v3 = _key1 ^ 0x7465646279746573UL;
        ulong last = (ulong)bytes.Length << 56;
        while (bytes.Length >= WordBytes)
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
            v3 ^= word;
            Round(ref v0, ref v1, ref v2, ref v3);
            Round(ref v0, ref v1, ref v2, ref v3);
            v0 ^= word;
            bytes = bytes[WordBytes..];
        }
        for (int index = 0; index < bytes.Length; index++) last |= (ulong)bytes[index] << (WordBytes * index);
        v3 ^= last;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= last;
        v2 ^= 0xFF;
        for (int round = 0; round < 4; round++) Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v0 += v1;
        v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
        v0 = BitOperations.RotateLeft(v0, 32);
        v2 += v3;
        v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
        v2 = BitOperations.RotateLeft(v2, 32);
    }
}
