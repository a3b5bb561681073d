using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Caches the framework's form of each destination, so that sending allocates nothing. Bounded: the cache is cleared
/// when it has grown beyond the size of any real cluster. Core thread only.
/// </summary>
internal sealed class AddressCache
{
    private const int MaxAddresses = 16_384;

    private readonly Dictionary<NetEndpoint, SocketAddress> _addresses = [];
    private long _scope;

    /// <summary>Takes the index of the interface that link-local addresses belong to from now on.</summary>
    public void Use(long scope)
    {
        if (scope != _scope) _addresses.Clear();
        _scope = scope;
    }

    /// <summary>Returns the address of an endpoint; allocates for a new one only.</summary>
    public SocketAddress Of(NetEndpoint endpoint)
    {
        if (_addresses.TryGetValue(endpoint, out SocketAddress? address)) return address;
        if (_addresses.Count >= MaxAddresses) _addresses.Clear();
        address = AddressForms.ToEndPoint(endpoint, _scope).Serialize();
        _addresses.Add(endpoint, address);
        return address;
    }
}
