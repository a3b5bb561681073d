using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>Tries the configured servers in turn, beginning with the one after the last that was tried.</summary>
/// <param name="servers">Hosts and ports; at least one.</param>
internal sealed class ServerListConnector(IReadOnlyList<(string Host, int Port)> servers) : MembershipConnector
{
    private int _next;

    /// <inheritdoc/>
    public override ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        (string host, int port) = servers[_next];
        _next = (_next + 1) % servers.Count;
        return TryConnectAsync(host, port, stop);
    }
}
