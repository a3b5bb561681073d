using System.Net;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Membership;

/// <summary>
/// Which addresses a node may name for its datagrams, by where its connection comes from: that address. A connection over loopback may name any
/// address of this machine, unless the host listens on loopback only, and not for one machine's clusters. What an operator allows besides, for nodes
/// behind a NAT or with several cards, are whole networks.
/// </summary>
internal sealed class AddressRule
{
    private readonly IReadOnlyList<IPNetwork> _allowed;
    private readonly bool _allowsMachine;

    /// <summary>Makes the rule of a host.</summary>
    public AddressRule(MembershipHostSettings settings)
    {
        _allowed = settings.AllowedNetworks;
        _allowsMachine = settings.ServesAllClusters || !IPAddress.IsLoopback(settings.EndPoint.Address);
    }

    /// <summary>Whether a connection may name an endpoint.</summary>
    /// <param name="source">Where it comes from; null: not known, nothing may be named.</param>
    /// <param name="endpoint">The endpoint: one host's.</param>
    public bool MayName(IPAddress? source, NetEndpoint endpoint)
    {
        if (source is null) return false;
        IPAddress address = UdpSockets.ToEndPoint(endpoint).Address;
        if (source.Equals(address)) return true;
        foreach (IPNetwork network in _allowed)
        {
            if (network.Contains(address) && !IsBroadcast(network, endpoint.Address)) return true;
        }
        if (!IPAddress.IsLoopback(source)) return false;
        return IPAddress.IsLoopback(address) || (_allowsMachine && NetworkList.IsPresent(address));
    }

    // A network of one or two addresses has none.
    private static bool IsBroadcast(IPNetwork network, uint address)
    {
        if (network.PrefixLength > 30) return false;
        uint hosts = uint.MaxValue >> network.PrefixLength;
        return (address & hosts) == hosts;
    }
}
