using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>The way of a node that is configured to host: to the server in its own process.</summary>
/// <param name="host">The server; ends with the connector.</param>
internal sealed class HostConnector(MembershipHost host) : MembershipConnector
{
    /// <inheritdoc/>
    public override ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop) =>
        TryConnectAsync(host.EndPoint.Address.ToString(), host.EndPoint.Port, stop);

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => host.DisposeAsync();
}
