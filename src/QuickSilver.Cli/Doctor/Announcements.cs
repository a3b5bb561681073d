using System.Collections.Concurrent;
using System.Net;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Runtime;

namespace QuickSilver.Cli.Doctor;

/// <summary>Listens for servers of the cluster's name that announce themselves, whether the node looks for them or
/// not. Any thread.</summary>
internal sealed class Announcements : IDiscoveryEvents, IAsyncDisposable
{
    private readonly ConcurrentDictionary<IPAddress, AnnouncementFault> _refused = new();
    private readonly MulticastAnnouncements _heard;

    /// <summary>Listens at the address of a node, with its keys.</summary>
    public Announcements(QuickSilverNode node)
    {
        AnnouncementSettings settings = DiscoveryOpener.ToSettings(node.Core.Services.Options);
        _heard = new MulticastAnnouncements(settings, node.Id.Address.Address, this);
        _heard.Start();
    }

    /// <summary>Where the servers listen that have been heard lately.</summary>
    public IReadOnlyList<string> Servers() =>
    [
        .. _heard.Table.Read(_heard.Now).Where(static one => one.Kind == AnnouncementKind.Server)
            .Select(static one => one.EndPoint.ToString()).Distinct().Order(StringComparer.Ordinal),
    ];

    /// <summary>Where announcements came from that do not count, and why.</summary>
    public IReadOnlyList<string> Refused() => [.. _refused.Select(static one => $"{one.Key} ({one.Value})")];

    /// <inheritdoc/>
    public void OnDiscoveryFailed(string source, string reason)
    {
        // Where nothing can be heard, nothing is found.
    }

    /// <inheritdoc/>
    public void OnAnnouncementRefused(IPAddress remote, AnnouncementFault fault, long count) =>
        _refused[remote] = fault;

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _heard.DisposeAsync();
}
