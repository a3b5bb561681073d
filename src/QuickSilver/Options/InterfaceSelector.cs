using System.Net;
using System.Net.Sockets;
using QuickSilver.Transport;

namespace QuickSilver;

/// <summary>The value of an option that selects a network interface: its name, one of its addresses, or a network
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

    /// <summary>True if the option gives neither an address nor a network.</summary>
    public bool IsName => _address is null && _network is null;

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
        int slash = text.LastIndexOf('/');
        if (slash >= 0)
        {
            if (!TryParseNetwork(text, out IPNetwork network))
                return $"'{text}' is not a network such as 10.77.0.0/24 or fd00::/64";
            wish = new InterfaceSelector(text, null, network);
            return null;
        }
        wish = new InterfaceSelector(text, IsAddress(text, out IPAddress? address) ? address : null, null);
        return null;
    }

    /// <summary>Parses a network. Bits beyond the prefix are ignored, so an address with its prefix length denotes its
    /// network.</summary>
    public static bool TryParseNetwork(string? text, out IPNetwork network)
    {
        network = default;
        int slash = text is null ? -1 : text.LastIndexOf('/');
        if (slash <= 0
            || !IsAddress(text![..slash], out IPAddress? address)
            || !byte.TryParse(text.AsSpan(slash + 1), out byte bits)
            || bits > BitsOf(address!))
            return false;
        network = NetworkOf(address!, bits);
        return true;
    }

    /// <summary>The network of a prefix length that contains an address.</summary>
    public static IPNetwork NetworkOf(IPAddress address, int bits)
    {
        byte[] bytes = address.GetAddressBytes();
        for (int bit = bits; bit < bytes.Length * 8; bit++) bytes[bit / 8] &= (byte)~(0x80 >> (bit % 8));
        return new IPNetwork(new IPAddress(bytes), bits);
    }

    /// <summary>Whether an interface with this name and this address matches the option.</summary>
    public bool Fits(string name, IPAddress address)
    {
        if (_network is { } network) return network.Contains(address);
        return _address is { } own
            ? AddressForms.ToNet(own) == AddressForms.ToNet(address) && own.AddressFamily == address.AddressFamily
            : name == _text;
    }

    /// <inheritdoc/>
    public override string ToString() => _text;

    // The framework also parses "10" and "0x0a000001" as addresses; a user means the name of an interface.
    private static bool IsAddress(string text, out IPAddress? address) =>
        IPAddress.TryParse(text, out address)
            && (address.AddressFamily == AddressFamily.InterNetworkV6
                ? text.Contains(':', StringComparison.Ordinal) && !address.IsIPv4MappedToIPv6
                : text.Count(static c => c == '.') == 3);

    private static int BitsOf(IPAddress address) => address.AddressFamily == AddressFamily.InterNetworkV6 ? 128 : 32;
}
