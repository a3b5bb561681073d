using System.Globalization;
using System.Net;
using System.Text.Json.Serialization;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver;

/// <summary>
/// Identifies one incarnation of a node by its address and an incarnation number. The number rises with each restart,
/// and with each return after an eviction. Text form: "10.0.0.5:15001/7", or
/// "[fd00::5]:15001/7". Ordered by address, port, incarnation.
/// </summary>
[JsonConverter(typeof(MemberIdJsonConverter))]
public readonly struct MemberId : IEquatable<MemberId>, IComparable<MemberId>, ISpanFormattable
{
    /// <summary>The longest text form, in characters.</summary>
    internal const int MostCharacters = NetAddress.MostCharacters + 29;

    private const int IPv4Parts = 4;

    private readonly NetEndpoint _endpoint;

    internal NetEndpoint Endpoint => _endpoint;

    /// <summary>Creates an id, for tests of message handlers or from stored values.</summary>
    /// <param name="address">Address and port. An IPv4 address in IPv6 form is that IPv4 address; a scope is left
    /// out.</param>
    /// <param name="incarnation">Incarnation number at that address.</param>
    public MemberId(IPEndPoint address, ulong incarnation)
    {
        ArgumentNullException.ThrowIfNull(address);
        _endpoint = new NetEndpoint(AddressForms.ToNet(address.Address), (ushort)address.Port);
        Incarnation = incarnation;
    }

    internal MemberId(NetEndpoint endpoint, ulong incarnation)
    {
        _endpoint = endpoint;
        Incarnation = incarnation;
    }

    internal MemberId(NodeInfo node)
        : this(node.Control, node.Incarnation)
    {
    }

    /// <summary>Address and port of the node. Allocates.</summary>
    public IPEndPoint Address => AddressForms.ToEndPoint(_endpoint);

    /// <summary>Distinguishes successive nodes at one address.</summary>
    public ulong Incarnation { get; }

    /// <inheritdoc/>
    public bool Equals(MemberId other) => _endpoint == other._endpoint && Incarnation == other.Incarnation;

    /// <summary>Compares by address, then port, then incarnation.</summary>
    public int CompareTo(MemberId other)
    {
        int byEndpoint = _endpoint.CompareTo(other._endpoint);
        return byEndpoint != 0 ? byEndpoint : Incarnation.CompareTo(other.Incarnation);
    }

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is MemberId other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_endpoint, Incarnation);

    /// <summary>Returns the text form, "10.0.0.5:15001/7".</summary>
    public override string ToString() => string.Create(null, $"{this}");

    /// <summary>Returns the text form, "10.0.0.5:15001/7", for any format and provider.</summary>
    public string ToString(string? format, IFormatProvider? formatProvider) => ToString();

    /// <summary>Writes the text form, "10.0.0.5:15001/7", for any format and provider. Allocates nothing.</summary>
    public bool TryFormat(
        Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider)
    {
        int offset = 0;
        bool isIPv6 = _endpoint.Address.IsIPv6;
        bool fits = (!isIPv6 || TryAppend(destination, ref offset, "["))
            && TryAppend(destination, ref offset, _endpoint.Address)
            && TryAppend(destination, ref offset, isIPv6 ? "]:" : ":")
            && TryAppend(destination, ref offset, (ulong)_endpoint.Port)
            && TryAppend(destination, ref offset, "/")
            && TryAppend(destination, ref offset, Incarnation);
        charsWritten = fits ? offset : 0;
        return fits;
    }

    /// <summary>True if both identify the same incarnation of the same node.</summary>
    public static bool operator ==(MemberId left, MemberId right) => left.Equals(right);

    /// <summary>True if they identify different incarnations or nodes.</summary>
    public static bool operator !=(MemberId left, MemberId right) => !left.Equals(right);

    /// <summary>True if <paramref name="left"/> sorts before <paramref name="right"/>.</summary>
    public static bool operator <(MemberId left, MemberId right) => left.CompareTo(right) < 0;

    /// <summary>True if <paramref name="left"/> sorts before <paramref name="right"/> or equals it.</summary>
    public static bool operator <=(MemberId left, MemberId right) => left.CompareTo(right) <= 0;

    /// <summary>True if <paramref name="left"/> sorts after <paramref name="right"/>.</summary>
    public static bool operator >(MemberId left, MemberId right) => left.CompareTo(right) > 0;

    /// <summary>True if <paramref name="left"/> sorts after <paramref name="right"/> or equals it.</summary>
    public static bool operator >=(MemberId left, MemberId right) => left.CompareTo(right) >= 0;

    /// <summary>Parses the text form of <see cref="ToString()"/>.</summary>
    /// <exception cref="FormatException">The text is not the id of a member.</exception>
    public static MemberId Parse(string text) =>
        TryParse(text, out MemberId id)
            ? id
            : throw new FormatException($"'{text}' is no member's id: address:port/incarnation.");

    /// <summary>Parses the text form of <see cref="ToString()"/>.</summary>
    /// <returns>False if the text is not the id of a member.</returns>
    public static bool TryParse(string? text, out MemberId id) => TryParse(text.AsSpan(), out id);

    /// <summary>Parses the text form of <see cref="ToString()"/>. Allocates nothing for an IPv4 address.</summary>
    internal static bool TryParse(ReadOnlySpan<char> text, out MemberId id)
    {
        id = default;
        int slash = text.LastIndexOf('/');
        if (slash < 0 || !TryParseEndpoint(text[..slash], out NetEndpoint endpoint)) return false;
        ReadOnlySpan<char> number = text[(slash + 1)..];
        if (!ulong.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out ulong incarnation))
            return false;
        id = new MemberId(endpoint, incarnation);
        // One text for each id: nothing with more zeros, or in another form.
        Span<char> own = stackalloc char[MostCharacters];
        return id.TryFormat(own, out int length, default, null) && text.SequenceEqual(own[..length]);
    }

    private static bool TryParseEndpoint(ReadOnlySpan<char> text, out NetEndpoint endpoint)
    {
        endpoint = default;
        if (text.StartsWith('['))
        {
            if (!IPEndPoint.TryParse(text, out IPEndPoint? address)) return false;
            endpoint = new MemberId(address, 0)._endpoint;
            return true;
        }
        uint bits = 0;
        for (int part = 0; part < IPv4Parts; part++)
        {
            int end = text.IndexOf(part < IPv4Parts - 1 ? '.' : ':');
            if (end < 0 || !byte.TryParse(text[..end], NumberStyles.None, CultureInfo.InvariantCulture, out byte value))
                return false;
            bits = (bits << 8) | value;
            text = text[(end + 1)..];
        }
        if (!ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port)) return false;
        endpoint = new NetEndpoint(bits, port);
        return true;
    }

    private static bool TryAppend(Span<char> destination, ref int offset, ReadOnlySpan<char> text)
    {
        if (!text.TryCopyTo(destination[offset..])) return false;
        offset += text.Length;
        return true;
    }

    private static bool TryAppend(Span<char> destination, ref int offset, NetAddress address)
    {
        bool fits = address.TryFormat(destination[offset..], out int written);
        offset += written;
        return fits;
    }

    private static bool TryAppend(Span<char> destination, ref int offset, ulong number)
    {
        bool fits = number.TryFormat(destination[offset..], out int written, default, CultureInfo.InvariantCulture);
        offset += written;
        return fits;
    }
}
