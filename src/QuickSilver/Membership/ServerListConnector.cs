using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>Tries the configured servers in turn, beginning after the one tried last. A failure lists the latest
/// failure of each server.</summary>
/// <param name="servers">The hosts and ports to try; at least one.</param>
/// <param name="security">Secures connections; null for none.</param>
internal sealed class ServerListConnector(
    IReadOnlyList<(string Host, int Port)> servers, ChannelSecurity? security = null)
    : MembershipConnector(security)
{
    private readonly Reached?[] _failures = new Reached?[servers.Count];
    private int _next;

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(
        ILinkEvents events, CancellationToken stop)
    {
        int tried = _next;
        _next = (_next + 1) % servers.Count;
        Reached reached =
            await TryConnectAsync(servers[tried].Host, servers[tried].Port, events, stop).ConfigureAwait(false);
        if (reached.Socket is not null)
        {
            Array.Clear(_failures);
            return reached;
        }
        _failures[tried] = reached;
        string all = string.Join("; ", _failures.OfType<Reached>().Select(static known => known.Failure));
        // Another server may still take the node.
        return new Reached(null, null, all, _failures.All(static known => known is { IsVerdict: true }));
    }
}
