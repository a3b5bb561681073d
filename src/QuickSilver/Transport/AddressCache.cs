using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The framework's form of each endpoint sent to, made once: sending to it then allocates nothing. Bounded: thrown away whole when it has grown
/// beyond any real cluster.
/// </summary>
internal sealed class AddressCache
{
    private const int Most = 16_384;

    private readonly Dictionary<NetEndpoint, SocketAddress> _addresses = [];

    /// <summary>The address of an endpoint.</summary>
    public SocketAddress Of(NetEndpoint endpoint)
    {
        if (_addresses.TryGetValue(endpoint, out SocketAddress? address)) return address;
        if (_addresses.Count >= Most) _addresses.Clear();
        address = UdpSockets.ToEndPoint(endpoint).Serialize();
        _addresses.Add(endpoint, address);
        return address;
    }
}
