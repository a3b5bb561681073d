using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Runtime;

/// <summary>
/// Reports members of this node's groups that are in another network, once for each network. Multicast does not cross
/// networks without routing, and nodes that choose different interfaces cannot notice that alone. Each region view is
/// checked once. Core thread only.
/// </summary>
/// <param name="reporter">Logs the report.</param>
internal sealed class OtherNetworks(NodeReporter reporter)
{
    private const int MaxReports = 16;
    private const int MaxSeen = 4_096;

    private readonly HashSet<ViewNumber> _seen = [];
    private readonly HashSet<NetAddress> _reported = [];

    /// <summary>Checks the members of new region views.</summary>
    /// <param name="views">The views of an installed step.</param>
    /// <param name="own">This node's interface, address and prefix length.</param>
    public void Look(IReadOnlyList<ProtocolRegionView> views, TransportChoice own)
    {
        if (_reported.Count >= MaxReports || own.PrefixLength == 0) return;
        NetAddress address = AddressForms.ToNet(own.InterfaceAddress);
        if (own.PrefixLength == (address.IsIPv6 ? 128 : 32)) return;
        NetAddress network = address.NetworkOf(own.PrefixLength);
        if (_seen.Count >= MaxSeen) _seen.Clear();
        foreach (ProtocolRegionView region in views)
        {
            if (!_seen.Add(region.Number)) continue;
            foreach (NodeInfo member in region.Members)
            {
                NetAddress other = member.Control.Address.NetworkOf(own.PrefixLength);
                if (other == network || !_reported.Add(other)) continue;
                reporter.OnOtherNetwork(
                    $"{member.Name} ({member.Control})", $"{own.InterfaceAddress}/{own.PrefixLength}");
            }
        }
    }

    /// <summary>Forgets all reports, because the node itself has moved to another network.</summary>
    public void Clear()
    {
        _seen.Clear();
        _reported.Clear();
    }
}
