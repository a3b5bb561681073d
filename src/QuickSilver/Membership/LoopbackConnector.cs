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
    private readonly IPEndPoint _endPoint = settings.EndPoint;
    private readonly OwnHost _host = new(started: null, settings, hostEvents);

    /// <summary>True while this process serves.</summary>
    public bool IsServing => _host.IsServing;

    /// <inheritdoc/>
    public override MembershipHost? Host => _host.Serving;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _host.TryServeAsync(events, stop).ConfigureAwait(false);
        if (refusal.Length > 0) return (null, refusal);
        return await TryConnectAsync(_endPoint.Address.ToString(), _endPoint.Port, events, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _host.DisposeAsync();
}
