using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>Tries the configured servers and those that discovery finds, the one that was tried longest ago first. A
/// failure lists the latest failure of each server. The list may change meanwhile: a new one begins with its first
/// server. One attempt at a time; other members on any thread.</summary>
/// <param name="servers">The hosts and ports to try; at least one, unless there is a discovery.</param>
/// <param name="security">Secures connections; null for none.</param>
internal sealed class ServerListConnector(
    IReadOnlyList<(string Host, int Port)> servers, ChannelSecurity? security = null)
    : MembershipConnector(security)
{
    private volatile ServerRound _round = new(servers);

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(
        ILinkEvents events, CancellationToken stop)
    {
        ServerRound round = await FindAsync(events, stop).ConfigureAwait(false);
        if (round.Begin() is not { } tried) return Reached.Failed(Discovery!.DescribeNone());
        return round.End(tried, await TryConnectAsync(tried.Host, tried.Port, events, stop).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public override bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers)
    {
        _round = new ServerRound(servers);
        return true;
    }

    /// <inheritdoc/>
    public override string? DescribeTries()
    {
        string tries = _round.Describe();
        if (Discovery is null) return tries;
        return tries.Length == 0 ? Discovery.Describe() : $"{tries}; {Discovery.Describe()}";
    }

    private async ValueTask<ServerRound> FindAsync(ILinkEvents events, CancellationToken stop)
    {
        if (Discovery is null) return _round;
        events.OnSeeking(Discovery.DescribeNone());
        IReadOnlyList<(string Host, int Port)> found =
            await Discovery.FindAsync(withCandidates: false, stop).ConfigureAwait(false);
        while (true)
        {
            ServerRound before = _round;
            ServerRound round = before.With(found);
            if (Interlocked.CompareExchange(ref _round, round, before) == before) return round;
        }
    }
}
