using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>
/// The membership of one machine without configuration: whoever can bind the well-known loopback port, which only one process can, serves all
/// clusters of the machine; everybody, the server's own node included, connects to it. When it goes, every survivor tries to bind, one succeeds, and
/// the others connect to that one.
/// </summary>
/// <param name="settings">The host's, should this process become it; the endpoint is the well-known port.</param>
/// <param name="hostEvents">Told by the host.</param>
internal sealed class LoopbackConnector(MembershipHostSettings settings, IMembershipHostEvents hostEvents) : MembershipConnector
{
    private MembershipHost? _host;

    /// <summary>The host, when this process serves.</summary>
    public MembershipHost? Host => _host;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        if (_host is { IsRunning: false })
        {
            await _host.DisposeAsync().ConfigureAwait(false);
            _host = null;
        }
        IPEndPoint endpoint = settings.EndPoint;
        if (_host is null && !stop.IsCancellationRequested)
        {
            _host = MembershipHost.TryStart(settings, hostEvents, out string refusal);
            if (_host is not null) events.OnServing(endpoint.ToString());
            else if (refusal.Length > 0) return (null, refusal);
        }
        return await TryConnectAsync(endpoint.Address.ToString(), endpoint.Port, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _host?.DisposeAsync() ?? ValueTask.CompletedTask;
}
