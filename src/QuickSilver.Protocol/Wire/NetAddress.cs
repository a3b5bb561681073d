using System.Globalization;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// An IPv4 or IPv6 address as plain numbers, so that the protocol needs no socket types. An IPv4 address is kept in its
/// IPv6 form, ::ffff:a.b.c.d, so each address has one value, and IPv4 addresses sort before IPv6 ones of hosts. The
/// default is the unspecified address of both families. The scope of a link-local address is not part of it.
/// </summary>
internal readonly record struct NetAddress : IComparable<NetAddress>
{
    /// <summary>The longest text, in characters.</summary>
    public const int MostCharacters = 39;

    private const ulong Mapped = 0xFFFF_0000_0000;
    private const int IPv4Bits = 32;
    private const int HalfBits = 64;
    private const int Words = 8;

    private readonly ulong _high;
    private readonly ulong _low;

    /// <summary>Makes an address of its 128 bits. An IPv4 address in its IPv6 form is that IPv4 address.</summary>
    public NetAddress(ulong high, ulong low)
    {
        _high = high;
        _low = high == 0 && low == Mapped ? 0 : low;
    }

    /// <summary>The first 64 bits.</summary>
    public ulong High => _high;

    /// <summary>The last 64 bits.</summary>
    public ulong Low => _low;

    /// <summary>The last 32 bits: of an IPv4 address all of it, 127.0.0.1 is 0x7F000001.</summary>
    public uint IPv4 => (uint)_low;

    /// <summary>True for an IPv6 address; false for an IPv4 address, and for the default.</summary>
    public bool IsIPv6 => (_high != 0 || _low >> IPv4Bits != 0xFFFF) && this != default;

    /// <summary>True for 224.0.0.0/4 and ff00::/8.</summary>
    public bool IsMulticast => IsIPv6 ? _high >> 56 == 0xFF : IPv4 >> 28 == 0xE;

    /// <summary>True for 127.0.0.0/8 and ::1.</summary>
    public bool IsLoopback => IsIPv6 ? _high == 0 && _low == 1 : IPv4 >> 24 == 127;

    /// <summary>True for an address of one host: not unspecified, multicast, broadcast or reserved.</summary>
    public bool IsHost => IsIPv6 ? _high >> 56 is > 0 and < 0xFF || IsLoopback : IPv4 >> 24 is > 0 and < 224;

    /// <summary>An IPv4 address, in host order.</summary>
    public static implicit operator NetAddress(uint address) => new(0, Mapped | address);

    /// <summary>The address that is so many after this one, with the same first 64 bits.</summary>
    public NetAddress Plus(uint count) => new(_high, _low + count);

    /// <summary>How many addresses this one is after another; -1 if it is before that, or far away.</summary>
    public int DistanceFrom(NetAddress first) =>
        _high == first._high && _low >= first._low && _low - first._low <= int.MaxValue ? (int)(_low - first._low) : -1;

    /// <summary>The first address of the network with a prefix of so many bits, of 32 or of 128.</summary>
    public NetAddress NetworkOf(int prefixBits)
    {
        int bits = IsIPv6 ? prefixBits : prefixBits + (2 * HalfBits) - IPv4Bits;
        return new NetAddress(_high & Mask(bits), _low & Mask(bits - HalfBits));
    }

    /// <inheritdoc/>
    public int CompareTo(NetAddress other)
    {
        int byHigh = _high.CompareTo(other._high);
        return byHigh != 0 ? byHigh : _low.CompareTo(other._low);
    }

    /// <summary>The usual text: "10.0.0.5", "fd00::5".</summary>
    public override string ToString()
    {
        Span<char> text = stackalloc char[MostCharacters];
        _ = TryFormat(text, out int length);
        return new string(text[..length]);
    }

    /// <summary>Writes the usual text, of IPv6 by RFC 5952. Allocates nothing.</summary>
    /// <returns>False when the room is too short.</returns>
    public bool TryFormat(Span<char> destination, out int length)
    {
        length = 0;
        return IsIPv6 ? TryFormatWords(destination, ref length) : TryFormatBytes(destination, ref length);
    }

    private static ulong Mask(int bits) =>
        bits <= 0 ? 0 : bits >= HalfBits ? ulong.MaxValue : ulong.MaxValue << (HalfBits - bits);

    private bool TryFormatBytes(Span<char> destination, ref int length)
    {
        for (int shift = 24; shift >= 0; shift -= 8)
        {
            if (shift < 24 && !TryAppend(destination, ref length, '.')) return false;
            if (!TryAppend(destination, ref length, (IPv4 >> shift) & 255, "D")) return false;
        }
        return true;
    }

    // The longest run of words that are zero, the first of the longest, is "::"; a single one is written.
    private bool TryFormatWords(Span<char> destination, ref int length)
    {
        (int start, int count) = LongestZeros();
        for (int index = 0; index < Words; index++)
        {
            if (index == start)
            {
                if (!TryAppend(destination, ref length, ':') || !TryAppend(destination, ref length, ':')) return false;
                index += count - 1;
                continue;
            }
            if (index > 0 && index != start + count && !TryAppend(destination, ref length, ':')) return false;
            if (!TryAppend(destination, ref length, Word(index), "x")) return false;
        }
        return true;
    }

    private (int Start, int Count) LongestZeros()
    {
        (int start, int count) = (-1, 1);
        int run = 0;
        for (int index = 0; index < Words; index++)
        {
            run = Word(index) == 0 ? run + 1 : 0;
            if (run > count) (start, count) = (index + 1 - run, run);
        }
        return start < 0 ? (-1, 0) : (start, count);
    }

    private uint Word(int index) => (ushort)((index < 4 ? _high : _low) >> (48 - (16 * (index & 3))));

    private static bool TryAppend(Span<char> destination, ref int length, char one)
    {
        if (length == destination.Length) return false;
        destination[length++] = one;
        return true;
    }

    private static bool TryAppend(Span<char> destination, ref int length, uint number, ReadOnlySpan<char> format)
    {
        bool fits = number.TryFormat(
            destination[length..], out int written, format, CultureInfo.InvariantCulture);
        length += written;
        return fits;
    }
}
