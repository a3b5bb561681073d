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
    private readonly IPEndPoint _endPoint = started.EndPoint;
    private readonly OwnHost _host = new(started, settings with { EndPoint = started.EndPoint }, hostEvents);

    /// <inheritdoc/>
    public override MembershipHost? Host => _host.Serving;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _host.TryServeAsync(events, stop).ConfigureAwait(false);
        if (!_host.IsServing) return (null, refusal.Length > 0 ? refusal : $"{_endPoint}: another process has that port");
        return await TryConnectAsync(_endPoint.Address.ToString(), _endPoint.Port, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _host.DisposeAsync();
}
