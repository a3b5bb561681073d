using System.Buffers.Binary;
using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Runtime;

/// <summary>
/// Says, once for each network, that members of this node's groups are in another one: multicast does not pass from network to network by itself, and
/// a configuration under which nodes choose different cards looks well to each of them. Looked at once a region view. Core thread only.
/// </summary>
/// <param name="reporter">Tells people.</param>
internal sealed class OtherNetworks(NodeReporter reporter)
{
    private const int MostSaid = 16;
    private const int MostSeen = 4_096;

    private readonly HashSet<ViewNumber> _seen = [];
    private readonly HashSet<uint> _said = [];

    /// <summary>A group's view has been installed.</summary>
    /// <param name="view">It.</param>
    /// <param name="own">Where this node is.</param>
    public void Look(GroupView view, TransportChoice own)
    {
        if (_said.Count >= MostSaid || own.PrefixLength is 0 or 32) return;
        uint mask = uint.MaxValue << (32 - own.PrefixLength);
        uint network = BinaryPrimitives.ReadUInt32BigEndian(own.InterfaceAddress.GetAddressBytes()) & mask;
        if (_seen.Count >= MostSeen) _seen.Clear();
        foreach (ProtocolRegionView region in view.ProtocolRegions)
        {
            if (!_seen.Add(region.Number)) continue;
            foreach (NodeInfo member in region.Members)
            {
                uint other = member.Control.Address & mask;
                if (other == network || !_said.Add(other)) continue;
                reporter.OnOtherNetwork($"{member.Name} ({member.Control})", $"{own.InterfaceAddress}/{own.PrefixLength}");
            }
        }
    }

    /// <summary>The node is in another network itself: all is said anew.</summary>
    public void Clear()
    {
        _seen.Clear();
        _said.Clear();
    }
}
