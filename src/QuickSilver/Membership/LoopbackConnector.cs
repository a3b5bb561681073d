using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>
/// The membership of one machine without configuration. The one process that binds the well-known loopback port serves
/// all clusters of the machine. All nodes connect to it, including its own. When it ends, every survivor tries to bind
/// the port; one succeeds, and the others connect to it.
/// </summary>
/// <param name="settings">The settings for a host, if this process becomes one; the endpoint has the well-known
/// port.</param>
/// <param name="hostEvents">Receives the events of that host.</param>
internal sealed class LoopbackConnector(MembershipHostSettings settings, IMembershipHostEvents hostEvents)
    : MembershipConnector
{
    private readonly IPEndPoint _endPoint = settings.EndPoint;
    private readonly OwnHost _host = new(started: null, settings, hostEvents);

    /// <summary>True while this process serves.</summary>
    public bool IsServing => _host.IsServing;

    /// <inheritdoc/>
    public override MembershipHost? Host => _host.Serving;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(
        ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _host.TryServeAsync(events, stop).ConfigureAwait(false);
        if (refusal.Length > 0) return (null, refusal);
        return await TryConnectAsync(_endPoint.Address.ToString(), _endPoint.Port, events, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _host.DisposeAsync();
}
