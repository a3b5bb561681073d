using System.Numerics;

namespace QuickSilver.Testing.Network;

/// <summary>
/// What Linux charges a socket's receive buffer for one datagram: a fixed head, and the memory block the bytes lie in, which is a power of two. Fits the measured counts: a buffer of
/// 212,992 bytes holds 256 datagrams of 64 bytes, 166 of 512, 92 of 1,000 or 1,400, and 12 of 8,000.
/// </summary>
public static class KernelCharge
{
    private const int Head = 256;
    private const int SmallestBlock = 576;
    private const int BlockOverhead = 384;

    /// <summary>Bytes charged for a datagram of <paramref name="length"/> bytes.</summary>
    public static int Of(int length) => Head + (length + BlockOverhead <= SmallestBlock ? SmallestBlock : (int)BitOperations.RoundUpToPowerOf2((uint)(length + BlockOverhead)));
}
