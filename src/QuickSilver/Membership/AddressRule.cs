using System.Net;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Membership;

/// <summary>
/// Decides which addresses a node may register for its datagrams: by default only the source address of its connection.
/// A loopback connection may register any address of this machine, unless the host listens on loopback only. An
/// operator may allow further networks, for nodes behind a NAT or with several interfaces.
/// </summary>
internal sealed class AddressRule
{
    private readonly IReadOnlyList<IPNetwork> _allowed;
    private readonly bool _allowsMachine;

    /// <summary>Creates the rule of a host from its settings.</summary>
    public AddressRule(MembershipHostSettings settings)
    {
        _allowed = settings.AllowedNetworks;
        _allowsMachine = !IPAddress.IsLoopback(settings.EndPoint.Address);
    }

    /// <summary>True when a connection may register an endpoint.</summary>
    /// <param name="source">The source address of the connection; null, which is unknown, permits nothing.</param>
    /// <param name="endpoint">The endpoint to register; its address is a unicast one.</param>
    public bool MayName(IPAddress? source, NetEndpoint endpoint)
    {
        if (source is null) return false;
        if (AddressForms.ToNet(source) == endpoint.Address) return true;
        IPAddress address = AddressForms.ToIP(endpoint.Address);
        foreach (IPNetwork network in _allowed)
        {
            if (network.Contains(address) && !IsBroadcast(network, endpoint.Address)) return true;
        }
        if (!IPAddress.IsLoopback(source)) return false;
        return IPAddress.IsLoopback(address) || (_allowsMachine && NetworkList.IsPresent(address));
    }

    // A network of one or two addresses has no broadcast address, and IPv6 has none at all.
    private static bool IsBroadcast(IPNetwork network, NetAddress address)
    {
        if (address.IsIPv6 || network.PrefixLength > 30) return false;
        uint hosts = uint.MaxValue >> network.PrefixLength;
        return (address.IPv4 & hosts) == hosts;
    }
}
