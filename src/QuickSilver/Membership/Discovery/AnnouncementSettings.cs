using System.Net;
using QuickSilver.Security;

namespace QuickSilver.Membership.Discovery;

/// <summary>The settings of announcements by multicast.</summary>
internal sealed record AnnouncementSettings
{
    /// <summary>The name of the cluster.</summary>
    public required string Cluster { get; init; }

    /// <summary>The keys of this node; null for none.</summary>
    public AcceptedKeys? Keys { get; init; }

    /// <summary>The address of announcements over IPv4.</summary>
    public required IPAddress Group { get; init; }

    /// <summary>The address of announcements over IPv6.</summary>
    public required IPAddress GroupIPv6 { get; init; }

    /// <summary>The UDP port.</summary>
    public required int Port { get; init; }

    /// <summary>The time to live, in hops.</summary>
    public int TimeToLive { get; init; } = 1;
}
