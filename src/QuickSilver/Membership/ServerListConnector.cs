using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>Tries the configured servers in turn, beginning after the one tried last. A failure lists the latest
/// failure of each server.</summary>
/// <param name="servers">The hosts and ports to try; at least one.</param>
internal sealed class ServerListConnector(IReadOnlyList<(string Host, int Port)> servers) : MembershipConnector
{
    private readonly string?[] _failures = new string?[servers.Count];
    private int _next;

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(
        ILinkEvents events, CancellationToken stop)
    {
        int tried = _next;
        _next = (_next + 1) % servers.Count;
        (Socket? socket, string failure) =
            await TryConnectAsync(servers[tried].Host, servers[tried].Port, events, stop).ConfigureAwait(false);
        if (socket is not null)
        {
            Array.Clear(_failures);
            return (socket, "");
        }
        _failures[tried] = failure;
        return (null, string.Join("; ", _failures.Where(static known => known is not null)));
    }
}
