using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The field of 256 elements, with the polynomial 0x11B: sums are exclusive or, products come from tables. Vectors are
/// multiplied by two table look-ups a byte, of its halves, sixteen or thirty-two bytes at a time. Pure; any thread.
/// </summary>
internal static class GaloisField
{
    private const int Polynomial = 0x11B;
    private const int Halves = 16;

    // For each coefficient: the products of the sixteen low halves, then those of the sixteen high halves.
    private static readonly byte[] Products = MakeProducts();
    private static readonly byte[] Inverses = MakeInverses();

    /// <summary>The product of two elements.</summary>
    public static byte Multiply(byte one, byte other)
    {
        int at = one * 2 * Halves;
        return (byte)(Products[at + (other & 15)] ^ Products[at + Halves + (other >> 4)]);
    }

    /// <summary>The element whose product with another is 1; of 0, 0.</summary>
    public static byte Invert(byte element) => Inverses[element];

    /// <summary>Adds a multiple of a vector to another. One read and one write of each byte.</summary>
    /// <param name="sum">The vector that grows; not shorter than <paramref name="term"/>.</param>
    /// <param name="term">The vector that is multiplied.</param>
    /// <param name="coefficient">Its coefficient.</param>
    public static void AddProduct(Span<byte> sum, ReadOnlySpan<byte> term, byte coefficient)
    {
        if (coefficient == 1)
        {
            Add(sum, term);
            return;
        }
        if (coefficient == 0) return;
        sum = sum[..term.Length];
        int done = AddVectors(sum, term, coefficient);
        int at = coefficient * 2 * Halves;
        for (int index = done; index < term.Length; index++)
        {
            byte value = term[index];
            sum[index] ^= (byte)(Products[at + (value & 15)] ^ Products[at + Halves + (value >> 4)]);
        }
    }

    /// <summary>Adds a vector to another: exclusive or.</summary>
    public static void Add(Span<byte> sum, ReadOnlySpan<byte> term)
    {
        sum = sum[..term.Length];
        int done = 0;
        if (Vector256.IsHardwareAccelerated)
        {
            Span<Vector256<byte>> sums = MemoryMarshal.Cast<byte, Vector256<byte>>(sum);
            ReadOnlySpan<Vector256<byte>> terms = MemoryMarshal.Cast<byte, Vector256<byte>>(term);
            for (int index = 0; index < sums.Length; index++) sums[index] ^= terms[index];
            done = sums.Length * Vector256<byte>.Count;
        }
        for (int index = done; index < term.Length; index++) sum[index] ^= term[index];
    }

    /// <summary>Multiplies a vector in place.</summary>
    public static void Scale(Span<byte> vector, byte coefficient)
    {
        if (coefficient == 1) return;
        for (int index = 0; index < vector.Length; index++) vector[index] = Multiply(coefficient, vector[index]);
    }

    private static int AddVectors(Span<byte> sum, ReadOnlySpan<byte> term, byte coefficient)
    {
        ReadOnlySpan<byte> table = Products.AsSpan(coefficient * 2 * Halves, 2 * Halves);
        Vector128<byte> low = Vector128.Create(table[..Halves]);
        Vector128<byte> high = Vector128.Create(table[Halves..]);
        if (Avx2.IsSupported)
        {
            Vector256<byte> lows = Vector256.Create(low, low);
            Vector256<byte> highs = Vector256.Create(high, high);
            Vector256<byte> mask = Vector256.Create((byte)15);
            Span<Vector256<byte>> sums = MemoryMarshal.Cast<byte, Vector256<byte>>(sum);
            ReadOnlySpan<Vector256<byte>> terms = MemoryMarshal.Cast<byte, Vector256<byte>>(term);
            for (int index = 0; index < sums.Length; index++)
            {
                Vector256<byte> value = terms[index];
                Vector256<byte> upper = Vector256.ShiftRightLogical(value.AsUInt16(), 4).AsByte() & mask;
                sums[index] ^= Avx2.Shuffle(lows, value & mask) ^ Avx2.Shuffle(highs, upper);
            }
            return sums.Length * Vector256<byte>.Count;
        }
        if (!Vector128.IsHardwareAccelerated) return 0;
        Vector128<byte> half = Vector128.Create((byte)15);
        Span<Vector128<byte>> narrow = MemoryMarshal.Cast<byte, Vector128<byte>>(sum);
        ReadOnlySpan<Vector128<byte>> values = MemoryMarshal.Cast<byte, Vector128<byte>>(term);
        for (int index = 0; index < narrow.Length; index++)
        {
            Vector128<byte> value = values[index];
            Vector128<byte> upper = Vector128.ShiftRightLogical(value.AsUInt16(), 4).AsByte() & half;
            narrow[index] ^= Vector128.Shuffle(low, value & half) ^ Vector128.Shuffle(high, upper);
        }
        return narrow.Length * Vector128<byte>.Count;
    }

    private static byte[] MakeProducts()
    {
        byte[] products = new byte[256 * 2 * Halves];
        for (int coefficient = 0; coefficient < 256; coefficient++)
        {
            for (int half = 0; half < Halves; half++)
            {
                products[(coefficient * 2 * Halves) + half] = MultiplySlowly(coefficient, half);
                products[(coefficient * 2 * Halves) + Halves + half] = MultiplySlowly(coefficient, half << 4);
            }
        }
        return products;
    }

    private static byte[] MakeInverses()
    {
        byte[] inverses = new byte[256];
        for (int one = 1; one < 256; one++)
        {
            for (int other = 1; other < 256 && inverses[one] == 0; other++)
            {
                if (MultiplySlowly(one, other) == 1) inverses[one] = (byte)other;
            }
        }
        return inverses;
    }

    private static byte MultiplySlowly(int one, int other)
    {
        int product = 0;
        for (; other != 0; other >>= 1)
        {
            if ((other & 1) != 0) product ^= one;
            one <<= 1;
            if (one > 255) one ^= Polynomial;
        }
        return (byte)product;
    }
}
