using System.Net;
using System.Net.Sockets;

namespace QuickSilver;

/// <summary>The value of an option that selects a network interface: its name, one of its IPv4 addresses, or a network
/// that contains one of its addresses.</summary>
internal readonly record struct InterfaceSelector
{
    private readonly string _text;
    private readonly IPAddress? _address;
    private readonly IPNetwork? _network;

    private InterfaceSelector(string text, IPAddress? address, IPNetwork? network)
    {
        _text = text;
        _address = address;
        _network = network;
    }

    /// <summary>The address, if the option gives one.</summary>
    public IPAddress? Address => _address;

    /// <summary>Parses the value of an option.</summary>
    /// <param name="text">The value.</param>
    /// <param name="wish">The parsed selector.</param>
    /// <returns>The fault of the value, or null if it is valid.</returns>
    public static string? TryParse(string text, out InterfaceSelector wish)
    {
        wish = default;
        if (string.IsNullOrWhiteSpace(text)) return "is blank; leave it null for the default";
        if (IsIPv6(text)) return $"'{text}' is an IPv6 address or network, and QuickSilver speaks IPv4 only";
        int slash = text.LastIndexOf('/');
        if (slash >= 0)
        {
            if (!TryParseNetwork(text, out IPNetwork network))
                return $"'{text}' is not an IPv4 network such as 10.77.0.0/24";
            wish = new InterfaceSelector(text, null, network);
            return null;
        }
        wish = new InterfaceSelector(text, IsIPv4(text, out IPAddress? address) ? address : null, null);
        return null;
    }

    /// <summary>Parses a network. Bits beyond the prefix are ignored, so an address with its prefix length denotes its
    /// network.</summary>
    public static bool TryParseNetwork(string? text, out IPNetwork network)
    {
        network = default;
        int slash = text is null ? -1 : text.LastIndexOf('/');
        if (slash <= 0
            || !IsIPv4(text![..slash], out IPAddress? address)
            || !byte.TryParse(text.AsSpan(slash + 1), out byte bits)
            || bits > 32)
            return false;
        network = NetworkOf(address!, bits);
        return true;
    }

    /// <summary>The network of a prefix length that contains an address.</summary>
    public static IPNetwork NetworkOf(IPAddress address, int bits)
    {
        byte[] bytes = address.GetAddressBytes();
        for (int bit = bits; bit < 32; bit++) bytes[bit / 8] &= (byte)~(0x80 >> (bit % 8));
        return new IPNetwork(new IPAddress(bytes), bits);
    }

    /// <summary>Whether a text is an IPv6 address or network, in brackets or not.</summary>
    public static bool IsIPv6(string text)
    {
        ReadOnlySpan<char> bare = text.AsSpan().Trim();
        int slash = bare.LastIndexOf('/');
        if (slash >= 0) bare = bare[..slash];
        if (bare.StartsWith("[") && bare.EndsWith("]")) bare = bare[1..^1];
        return bare.Contains(':')
            && IPAddress.TryParse(bare, out IPAddress? address)
            && address.AddressFamily == AddressFamily.InterNetworkV6;
    }

    /// <summary>Whether an interface with this name and this address matches the option.</summary>
    public bool Fits(string name, IPAddress address)
    {
        if (_network is { } network) return network.Contains(address);
        return _address is not null ? _address.Equals(address) : name == _text;
    }

    /// <inheritdoc/>
    public override string ToString() => _text;

    // The framework also parses "10" and "0x0a000001" as addresses; a user means the name of an interface.
    private static bool IsIPv4(string text, out IPAddress? address) =>
        IPAddress.TryParse(text, out address)
            && address.AddressFamily == AddressFamily.InterNetwork
            && text.Count(static c => c == '.') == 3;
}
