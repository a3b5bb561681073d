using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>The way of a node that is configured to host: to the server in its own process. One that has failed is replaced by another.</summary>
/// <param name="started">The server; ends with the connector.</param>
/// <param name="settings">What another is told.</param>
/// <param name="hostEvents">Told by the other.</param>
internal sealed class HostConnector(MembershipHost started, MembershipHostSettings settings, IMembershipHostEvents hostEvents) : MembershipConnector
{
    // The port that was bound, should any free one have been asked for: another takes the same.
    private readonly MembershipHostSettings _settings = settings with { EndPoint = new IPEndPoint(settings.EndPoint.Address, started.EndPoint.Port) };
    private MembershipHost? _host = started;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        if (_host is { IsRunning: false })
        {
            await _host.DisposeAsync().ConfigureAwait(false);
            _host = null;
        }
        if (_host is null && !stop.IsCancellationRequested)
        {
            _host = MembershipHost.TryStart(_settings, hostEvents, out string refusal);
            if (_host is null) return (null, refusal.Length > 0 ? refusal : $"{_settings.EndPoint}: another process has that port");
            events.OnServing(_host.EndPoint.ToString());
        }
        return await TryConnectAsync(_settings.EndPoint.Address.ToString(), _settings.EndPoint.Port, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _host?.DisposeAsync() ?? ValueTask.CompletedTask;
}
