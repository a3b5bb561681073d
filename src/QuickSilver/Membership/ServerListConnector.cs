using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>Tries the configured servers in turn, beginning after the one tried last. A failure lists the latest
/// failure of each server. The list may change meanwhile: the next attempt begins with the first server of the new one.
/// One attempt at a time; other members on any thread.</summary>
/// <param name="servers">The hosts and ports to try; at least one.</param>
/// <param name="security">Secures connections; null for none.</param>
internal sealed class ServerListConnector(
    IReadOnlyList<(string Host, int Port)> servers, ChannelSecurity? security = null)
    : MembershipConnector(security)
{
    private volatile Round _round = new(servers);

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(
        ILinkEvents events, CancellationToken stop)
    {
        Round round = _round;
        int tried = round.Begin();
        (string host, int port) = round.Servers[tried];
        return round.End(tried, await TryConnectAsync(host, port, events, stop).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public override bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers)
    {
        _round = new Round(servers);
        return true;
    }

    /// <inheritdoc/>
    public override string? DescribeTries() => _round.Describe();

    // The servers of one list, and what came of the last attempt at each.
    private sealed class Round(IReadOnlyList<(string Host, int Port)> servers)
    {
        private readonly Lock _lock = new();
        private readonly Reached?[] _failures = new Reached?[servers.Count];
        private readonly string?[] _outcomes = new string?[servers.Count];
        private int _next;

        public IReadOnlyList<(string Host, int Port)> Servers => servers;

        public int Begin()
        {
            lock (_lock)
            {
                int tried = _next;
                _next = (_next + 1) % servers.Count;
                _outcomes[tried] ??= $"{Place(tried)}: it is called, and has not answered yet";
                return tried;
            }
        }

        public Reached End(int tried, in Reached reached)
        {
            lock (_lock)
            {
                _outcomes[tried] = reached.Socket is null
                    ? reached.Failure
                    : $"{Place(tried)}: it was reached, and has not admitted this node";
                _failures[tried] = reached;
                if (reached.Socket is not null)
                {
                    Array.Clear(_failures);
                    return reached;
                }
                string all = string.Join("; ", _failures.OfType<Reached>().Select(static known => known.Failure));
                // Another server may still take the node.
                return new Reached(null, null, all, _failures.All(static known => known is { IsVerdict: true }));
            }
        }

        public string Describe()
        {
            lock (_lock)
            {
                return string.Join(
                    "; ", _outcomes.Select((outcome, index) => outcome ?? $"{Place(index)}: it was not tried yet"));
            }
        }

        private string Place(int index) => $"{servers[index].Host}:{servers[index].Port}";
    }
}
