using System.Net;
using System.Net.Sockets;

namespace QuickSilver;

/// <summary>How nodes find membership servers that <see cref="MembershipOptions.Servers"/> does not name. Ways can be
/// combined. The nodes of a cluster use the same ones. Has no effect in
/// <see cref="MembershipMode.Loopback"/>, where any of them is refused.</summary>
public sealed class DiscoveryOptions
{
    private List<Func<(IMembershipDiscovery Source, bool IsOwn)>> _sources = [];

    /// <summary>Whether servers announce themselves on the local network by multicast, once a second, and nodes listen.
    /// Where the cluster has a key, announcements prove it; others are dropped. Without a key an announcement counts if
    /// it comes from the address that it offers. Null (default): only in <see cref="MembershipMode.Peers"/>.</summary>
    public bool? Multicast { get; set; }

    /// <summary>The multicast address of announcements over IPv4. Default: 239.192.67.1.</summary>
    public string MulticastGroup { get; set; } = "239.192.67.1";

    /// <summary>The multicast address of announcements over IPv6. The fourth digit is the scope: 2 for the link
    /// ("ff12::5153:4301"), 5 for the site. Default: ff15::5153:4301.</summary>
    public string MulticastGroupIPv6 { get; set; } = "ff15::5153:4301";

    /// <summary>The UDP port of announcements, shared by all nodes and clusters of a machine. Default: 14998.</summary>
    public int Port { get; set; } = 14_998;

    /// <summary>Multicast time-to-live, or hop limit of IPv6, of announcements. 1 (default) stays on the local
    /// network.</summary>
    public int TimeToLive { get; set; } = 1;

    /// <summary>True when a source was added.</summary>
    internal bool HasSources => _sources.Count > 0;

    /// <summary>Adds a source. The caller disposes of it, after the nodes that use it.</summary>
    /// <param name="source">The source.</param>
    public void Add(IMembershipDiscovery source)
    {
        ArgumentNullException.ThrowIfNull(source);
        _sources.Add(() => (source, false));
    }

    /// <summary>Adds a source that each node makes for itself when it starts. The node disposes of it when it has
    /// stopped, if it can be disposed of.</summary>
    /// <param name="make">Makes the source. Its exceptions end the start.</param>
    public void Add(Func<IMembershipDiscovery> make)
    {
        ArgumentNullException.ThrowIfNull(make);
        _sources.Add(() => (make(), true));
    }

    /// <summary>Makes the sources of one node.</summary>
    internal List<(IMembershipDiscovery Source, bool IsOwn)> MakeSources() =>
        [.. _sources.Select(static make => make())];

    internal DiscoveryOptions Copy()
    {
        var copy = (DiscoveryOptions)MemberwiseClone();
        copy._sources = [.. _sources];
        return copy;
    }

    internal void Validate(OptionErrors errors)
    {
        if (!IsGroup(MulticastGroup, AddressFamily.InterNetwork))
            errors.Add(
                "Membership.Discovery.MulticastGroup",
                $"'{MulticastGroup}' is not an IPv4 multicast address such as 239.192.67.1");
        if (!IsGroup(MulticastGroupIPv6, AddressFamily.InterNetworkV6))
            errors.Add(
                "Membership.Discovery.MulticastGroupIPv6",
                $"'{MulticastGroupIPv6}' is not an IPv6 multicast address such as ff15::5153:4301");
        errors.InRange("Membership.Discovery.Port", Port, 1, 65_535);
        errors.InRange("Membership.Discovery.TimeToLive", TimeToLive, 0, 255);
    }

    private static bool IsGroup(string? text, AddressFamily family)
    {
        if (!IPAddress.TryParse(text, out IPAddress? address) || address.AddressFamily != family) return false;
        return family == AddressFamily.InterNetworkV6
            ? address is { IsIPv6Multicast: true, ScopeId: 0 }
            : address.GetAddressBytes()[0] is >= 224 and < 240;
    }
}
