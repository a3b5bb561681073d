using System.Net;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Membership.Discovery;

namespace QuickSilver.Membership;

/// <summary>Connects a node that is configured to host to the server in its own process, and replaces a server that has
/// failed.</summary>
/// <param name="started">The server; the connector disposes of it.</param>
/// <param name="settings">The settings of a replacement.</param>
/// <param name="hostEvents">Receives the events of a replacement.</param>
/// <param name="rivals">Detects other hosts of the cluster; the connector disposes of it. Null for none.</param>
internal sealed class HostConnector(
    MembershipHost started,
    MembershipHostSettings settings,
    IMembershipHostEvents hostEvents,
    RivalServerMonitor? rivals = null)
    : MembershipConnector(settings.Security)
{
    // The bound port, in case any free one was requested: a replacement binds the same.
    private readonly OwnHost _host = new(started, settings with { EndPoint = started.EndPoint }, hostEvents);

    /// <inheritdoc/>
    public override MembershipHost? Host => _host.Serving;

    /// <summary>What this process announces while it serves; null otherwise. Any thread.</summary>
    public OwnAnnouncement? Own => OwnAnnouncement.Of(
        Host, settings.Claim is { IsUndecided: true } ? AnnouncementKind.Candidate : AnnouncementKind.Server,
        NodeAddress);

    /// <inheritdoc/>
    protected override bool IsOwn(int port) => true;

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _host.TryServeAsync(events, stop).ConfigureAwait(false);
        IPEndPoint server = _host.EndPoint;
        if (!_host.IsServing)
            return Reached.Failed(refusal.Length > 0 ? refusal : $"{server}: another node or process has that port");
        return await TryConnectAsync(
            MembershipHost.OwnAddressOf(server).ToString(), server.Port, events, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void OnAddressChanged(IPAddress before, IPAddress after)
    {
        base.OnAddressChanged(before, after);
        _host.OnAddressChanged(before, after);
    }

    /// <inheritdoc/>
    public override bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers)
    {
        rivals?.ChangeServers(servers);
        return true;
    }

    /// <inheritdoc/>
    protected override async ValueTask StopAsync()
    {
        if (rivals is not null) await rivals.DisposeAsync().ConfigureAwait(false);
        await _host.DisposeAsync().ConfigureAwait(false);
    }
}
