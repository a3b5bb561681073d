namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Signed numbers as unsigned ones, small magnitudes as small numbers, so that their varints are short: 0, -1, 1, -2 as
/// 0, 1, 2, 3.
/// </summary>
internal static class Zigzag
{
    /// <summary>The unsigned form.</summary>
    public static ulong Encode(long value) => (ulong)((value << 1) ^ (value >> 63));

    /// <summary>The signed number of an unsigned form; every value is valid.</summary>
    public static long Decode(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);
}
