using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json.Serialization;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver;

/// <summary>
/// Names one life of one node: its address, and an incarnation that rises with each restart or return after an eviction. Written "10.0.0.5:15001/7".
/// Ordered by address, port, incarnation.
/// </summary>
[JsonConverter(typeof(MemberIdJsonConverter))]
public readonly struct MemberId : IEquatable<MemberId>, IComparable<MemberId>, ISpanFormattable
{
    private readonly NetEndpoint _endpoint;

    internal NetEndpoint Endpoint => _endpoint;

    /// <summary>Makes an id by hand: for tests of code that handles messages, or for one that was stored.</summary>
    /// <param name="address">An IPv4 address and a port.</param>
    /// <param name="incarnation">Which life of that address.</param>
    /// <exception cref="ArgumentException">The address is not an IPv4 address.</exception>
    public MemberId(IPEndPoint address, ulong incarnation)
    {
        ArgumentNullException.ThrowIfNull(address);
        Span<byte> bytes = stackalloc byte[sizeof(uint)];
        if (!address.Address.TryWriteBytes(bytes, out int written) || written != bytes.Length)
            throw new ArgumentException($"'{address.Address}' is not an IPv4 address.", nameof(address));
        _endpoint = new NetEndpoint(BinaryPrimitives.ReadUInt32BigEndian(bytes), (ushort)address.Port);
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

    /// <summary>Where the node is reached. Allocates.</summary>
    public IPEndPoint Address
    {
        get
        {
            Span<byte> bytes = stackalloc byte[sizeof(uint)];
            BinaryPrimitives.WriteUInt32BigEndian(bytes, _endpoint.Address);
            return new IPEndPoint(new IPAddress(bytes), _endpoint.Port);
        }
    }

    /// <summary>Tells apart the lives of one address.</summary>
    public ulong Incarnation { get; }

    /// <inheritdoc/>
    public bool Equals(MemberId other) => _endpoint == other._endpoint && Incarnation == other.Incarnation;

    /// <summary>By address, then port, then incarnation.</summary>
    public int CompareTo(MemberId other)
    {
        int byEndpoint = _endpoint.CompareTo(other._endpoint);
        return byEndpoint != 0 ? byEndpoint : Incarnation.CompareTo(other.Incarnation);
    }

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is MemberId other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_endpoint, Incarnation);

    /// <summary>"10.0.0.5:15001/7".</summary>
    public override string ToString() => string.Create(null, $"{this}");

    /// <summary>"10.0.0.5:15001/7", whatever the format and provider.</summary>
    public string ToString(string? format, IFormatProvider? formatProvider) => ToString();

    /// <summary>Writes "10.0.0.5:15001/7", whatever the format and provider; allocates nothing.</summary>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider)
    {
        uint address = _endpoint.Address;
        int at = 0;
        bool fits = TryAppend(destination, ref at, address >> 24, '.')
            && TryAppend(destination, ref at, (address >> 16) & 255, '.')
            && TryAppend(destination, ref at, (address >> 8) & 255, '.')
            && TryAppend(destination, ref at, address & 255, ':')
            && TryAppend(destination, ref at, _endpoint.Port, '/')
            && TryAppend(destination, ref at, Incarnation);
        charsWritten = fits ? at : 0;
        return fits;
    }

    /// <summary>True when both name the same life of the same node.</summary>
    public static bool operator ==(MemberId left, MemberId right) => left.Equals(right);

    /// <summary>True when they differ.</summary>
    public static bool operator !=(MemberId left, MemberId right) => !left.Equals(right);

    /// <summary>True when <paramref name="left"/> comes first.</summary>
    public static bool operator <(MemberId left, MemberId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> does not come last.</summary>
    public static bool operator <=(MemberId left, MemberId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> comes last.</summary>
    public static bool operator >(MemberId left, MemberId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> does not come first.</summary>
    public static bool operator >=(MemberId left, MemberId right) => left.CompareTo(right) >= 0;

    /// <summary>Reads what <see cref="ToString()"/> writes.</summary>
    /// <exception cref="FormatException">The text names no member.</exception>
    public static MemberId Parse(string text) =>
        TryParse(text, out MemberId id) ? id : throw new FormatException($"'{text}' is no member's id: address:port/incarnation.");

    /// <summary>Reads what <see cref="ToString()"/> writes.</summary>
    /// <returns>False when the text names no member.</returns>
    public static bool TryParse(string? text, out MemberId id)
    {
        id = default;
        int slash = text?.LastIndexOf('/') ?? -1;
        if (slash < 0 || !IPEndPoint.TryParse(text.AsSpan(0, slash), out IPEndPoint? address)) return false;
        if (address.AddressFamily != AddressFamily.InterNetwork) return false;
        if (!ulong.TryParse(text.AsSpan(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out ulong incarnation))
            return false;
        id = new MemberId(address, incarnation);
        return id.ToString() == text;
    }

    private static bool TryAppend(Span<char> destination, ref int at, ulong number, char separator)
    {
        if (!TryAppend(destination, ref at, number) || at == destination.Length) return false;
        destination[at++] = separator;
        return true;
    }

    private static bool TryAppend(Span<char> destination, ref int at, ulong number)
    {
        bool fits = number.TryFormat(destination[at..], out int written, default, CultureInfo.InvariantCulture);
        at += written;
        return fits;
    }
}
