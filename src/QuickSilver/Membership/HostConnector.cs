using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>The way of a node that is configured to host: to the server in its own process. One that has failed is replaced by another.</summary>
/// <param name="started">The server; ends with the connector.</param>
/// <param name="settings">What another is told.</param>
/// <param name="hostEvents">Told by the other.</param>
/// <param name="rivals">Looks for other hosts of the cluster; ends with the connector. Null: nobody does.</param>
internal sealed class HostConnector(
    MembershipHost started, MembershipHostSettings settings, IMembershipHostEvents hostEvents, RivalServerMonitor? rivals = null) : MembershipConnector
{
    // The port that was bound, should any free one have been asked for: another takes the same.
    private readonly OwnHost _host = new(started, settings with { EndPoint = started.EndPoint }, hostEvents);

    /// <inheritdoc/>
    public override MembershipHost? Host => _host.Serving;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _host.TryServeAsync(events, stop).ConfigureAwait(false);
        IPEndPoint server = _host.EndPoint;
        if (!_host.IsServing) return (null, refusal.Length > 0 ? refusal : $"{server}: another process has that port");
        // Where it listens on all addresses loopback is the one that never changes.
        IPAddress address = server.Address.Equals(IPAddress.Any) ? IPAddress.Loopback : server.Address;
        return await TryConnectAsync(address.ToString(), server.Port, events, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void OnAddressChanged(IPAddress before, IPAddress after) => _host.OnAddressChanged(before, after);

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        if (rivals is not null) await rivals.DisposeAsync().ConfigureAwait(false);
        await _host.DisposeAsync().ConfigureAwait(false);
    }
}
