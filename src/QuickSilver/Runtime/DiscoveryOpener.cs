using System.Net;
using QuickSilver.Membership.Discovery;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>Starts the ways by which a node finds servers that its configuration does not name.</summary>
internal static class DiscoveryOpener
{
    /// <summary>Starts them.</summary>
    /// <param name="options">The node's own copy of its options, validated.</param>
    /// <param name="transport">The open sockets.</param>
    /// <param name="events">Receives trouble.</param>
    /// <returns>The ways, of which the caller disposes; null for none.</returns>
    public static ServerDiscovery? Open(
        QuickSilverOptions options, IHostTransport transport, IDiscoveryEvents events)
    {
        MembershipOptions membership = options.Membership;
        if (!membership.Discovers) return null;
        MulticastAnnouncements? announcements = membership.Announces
            ? new MulticastAnnouncements(ToSettings(options), transport.Choice.InterfaceAddress, events)
            : null;
        List<(IMembershipDiscovery Source, bool IsOwn)> sources = membership.Discovery.MakeSources();
        return new ServerDiscovery(
            announcements,
            sources.Select(one => new DiscoverySource(one.Source, one.IsOwn, options.ClusterName, events)));
    }

    /// <summary>The settings of announcements by multicast.</summary>
    /// <param name="options">The node's own copy of its options, validated.</param>
    public static AnnouncementSettings ToSettings(QuickSilverOptions options)
    {
        DiscoveryOptions discovery = options.Membership.Discovery;
        return new AnnouncementSettings
        {
            Cluster = options.ClusterName,
            Keys = options.Protection.Keys,
            Group = IPAddress.Parse(discovery.MulticastGroup),
            GroupIPv6 = IPAddress.Parse(discovery.MulticastGroupIPv6),
            Port = discovery.Port,
            TimeToLive = discovery.TimeToLive,
        };
    }
}
