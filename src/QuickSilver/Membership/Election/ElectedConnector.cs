using System.Net;
using QuickSilver.Membership.Discovery;
using QuickSilver.Membership.Peers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Membership.Server;

namespace QuickSilver.Membership.Election;

/// <summary>
/// Connects a node to the server that an election names. When nobody serves, this process campaigns: it listens first,
/// since the election announces where, and admits nobody before it has the lease. Where the nodes elect, it listens
/// from the start: it is asked for its vote there.
/// </summary>
/// <param name="election">The election.</param>
/// <param name="settings">The settings of a host, if this process is elected.</param>
/// <param name="announced">The address at which other nodes reach a host of this process.</param>
/// <param name="node">The name of the node.</param>
/// <param name="hostEvents">Receives the events of a host.</param>
/// <param name="isOwn">True if the connector disposes of the election.</param>
internal sealed class ElectedConnector(
    IMembershipElection election,
    MembershipHostSettings settings,
    IPAddress announced,
    string node,
    IMembershipHostEvents hostEvents,
    bool isOwn = false)
    : MembershipConnector(settings.Security)
{
    // Of a store; and of an election among the nodes, which listens, resolves names and asks every node.
    private static readonly TimeSpan StoreCallTime = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan PeersCallTime = TimeSpan.FromSeconds(8);

    private readonly IClock _clock = settings.Clock ?? new LeaseClock();
    private readonly PeerElection? _peers = election as PeerElection;
    private volatile IPAddress _announced = announced;
    private volatile ElectedTerm? _term;
    private volatile MembershipHost? _standby;
    private volatile bool _hasMoved;

    private TimeSpan CallTime => _peers is null ? StoreCallTime : PeersCallTime;

    /// <inheritdoc/>
    public override MembershipHost? Host => _term is { Host: { IsRunning: true } host } ? host : null;

    /// <inheritdoc/>
    public override ulong Electorate => _peers?.LeaderInstance ?? 0;

    /// <summary>What this process announces while it serves, or while it may where the nodes elect; null otherwise. Any
    /// thread.</summary>
    public OwnAnnouncement? Own => OwnAnnouncement.Of(Host, AnnouncementKind.Server, _announced)
        ?? OwnAnnouncement.Of(_standby, AnnouncementKind.Candidate, _announced);

    /// <inheritdoc/>
    public override string? DescribeTries() => Discovery?.Describe();

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        if (Host is { } own) return await TryConnectAsync(own, events, stop).ConfigureAwait(false);
        if (_term is { } ended)
        {
            _term = null;
            await ended.DisposeAsync().ConfigureAwait(false);
        }
        if (await StandByAsync().ConfigureAwait(false) is { Length: > 0 } refusal) return Reached.Failed(refusal);
        try
        {
            events.OnSeeking($"{election.Describe()} is asked who serves, and has not answered yet");
            MembershipLeader? leader = await CallAsync(
                limit => election.FindLeaderAsync(settings.Server.ClusterName, limit), stop).ConfigureAwait(false);
            return leader is null
                ? await CampaignAsync(events, stop).ConfigureAwait(false)
                : await TryConnectAsync(leader, events, stop).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            string silent = $"{election.Describe()} has not answered within {CallTime.TotalSeconds:0} s";
            return await TryFoundAsync(silent, events, stop).ConfigureAwait(false);
        }
        catch (NobodyElectedException nobody)
        {
            return Reached.Failed(nobody.Message);
        }
        catch (Exception failure)
        {
            string fault = $"{election.Describe()} does not tell who serves: {failure.Message}";
            return await TryFoundAsync(fault, events, stop).ConfigureAwait(false);
        }
    }

    // The store may not reach this node alone, and the server serve.
    private async ValueTask<Reached> TryFoundAsync(string fault, ILinkEvents events, CancellationToken stop)
    {
        var failures = new List<Reached> { Reached.Failed(fault) };
        if (Discovery is null || stop.IsCancellationRequested) return failures[0];
        IReadOnlyList<(string Host, int Port)> found =
            await Discovery.FindAsync(withCandidates: false, stop).ConfigureAwait(false);
        foreach ((string host, int port) in found)
        {
            Reached reached = await TryConnectAsync(host, port, events, stop).ConfigureAwait(false);
            if (reached.Socket is not null) return reached;
            failures.Add(reached);
        }
        if (found.Count == 0) failures.Add(Reached.Failed(Discovery.DescribeNone()));
        return Reached.AllOf(failures);
    }

    /// <summary>The election has announced an address that is gone: the host ends, and the next campaign, here or
    /// elsewhere, announces another.</summary>
    public override void OnAddressChanged(IPAddress before, IPAddress after)
    {
        base.OnAddressChanged(before, after);
        if (!_announced.Equals(before)) return;
        _announced = after;
        _hasMoved = true;
        Host?.Lose();
    }

    /// <inheritdoc/>
    protected override async ValueTask StopAsync()
    {
        if (_term is { } term) await term.DisposeAsync().ConfigureAwait(false);
        if (_standby is { } standby) await standby.DisposeAsync().ConfigureAwait(false);
        if (isOwn) await DiscoverySource.DisposalOf(election).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers)
    {
        _peers?.ChangeSeeds(servers);
        return _peers is not null;
    }

    /// <inheritdoc/>
    protected override bool IsOwn(int port) => Host is { } own && own.EndPoint.Port == port;

    private async ValueTask<Reached> TryConnectAsync(
        MembershipLeader leader, ILinkEvents events, CancellationToken stop)
    {
        if (!MembershipOptions.TryParseServer(leader.EndPoint, out string host, out int port))
            return Reached.Failed($"{election.Describe()} names the server '{leader.EndPoint}', which is no HOST:PORT");
        Reached reached = await TryConnectAsync(host, port, events, stop).ConfigureAwait(false);
        return reached.Socket is null && !reached.IsVerdict
            ? reached with { Failure = $"{reached.Failure}; {election.Describe()} names it until its lease ends" }
            : reached;
    }

    private ValueTask<Reached> TryConnectAsync(MembershipHost own, ILinkEvents events, CancellationToken stop)
    {
        IPEndPoint place = own.EndPoint;
        return TryConnectAsync(MembershipHost.OwnAddressOf(place).ToString(), place.Port, events, stop);
    }

    private async ValueTask<Reached> CampaignAsync(ILinkEvents events, CancellationToken stop)
    {
        events.OnSeeking($"nobody serves, and {election.Describe()} is asked for the lease");
        string refusal = "";
        if ((_standby ?? Listen(out refusal)) is not { } host) return Reached.Failed(refusal);
        IMembershipLease? lease = null;
        try
        {
            string place = new IPEndPoint(_announced, host.EndPoint.Port).ToString();
            long lowest = Math.Max(1, CalendarTerm.Now / ServingLease.TermsOfEach);
            var candidate = new MembershipCandidate(settings.Server.ClusterName, place, node, lowest);
            Instant asked = _clock.Now;
            lease = await CallAsync(limit => election.CampaignAsync(candidate, limit), stop).ConfigureAwait(false);
            if (lease is null) return Reached.Failed("another process has just been elected to serve");
            if (FindFault(lease) is { } fault) return Reached.Failed($"{election.Describe()} grants a lease {fault}");
            _term = new ElectedTerm(host, lease, asked, _clock, hostEvents);
            _standby = null;
            events.OnServing(place);
            Discovery?.Wake();
            return await TryConnectAsync(host, events, stop).ConfigureAwait(false);
        }
        finally
        {
            if (_term?.Host != host)
            {
                if (_standby != host) await host.DisposeAsync().ConfigureAwait(false);
                if (lease is not null) await ElectedTerm.GiveUpAsync(lease).ConfigureAwait(false);
            }
        }
    }

    // A voter listens all the time, at one place as long as it can: another place is another voter.
    private async ValueTask<string> StandByAsync()
    {
        if (_peers is not { MayServe: true } peers) return "";
        if (_standby is { } before)
        {
            if (before.IsRunning && !_hasMoved) return "";
            await before.DisposeAsync().ConfigureAwait(false);
        }
        _hasMoved = false;
        _standby = Listen(out string refusal);
        if (_standby is { } standing) peers.Move(new IPEndPoint(_announced, standing.EndPoint.Port));
        Discovery?.Wake();
        return refusal;
    }

    // Another process of this machine may have the port, and the election announces any.
    private MembershipHost? Listen(out string refusal)
    {
        IPAddress listens = settings.EndPoint.Address;
        var place = new IPEndPoint(MembershipHost.IsAll(listens) ? listens : _announced, settings.EndPoint.Port);
        MembershipHostSettings own = settings with { EndPoint = place, Votes = _peers };
        MembershipHost? host = MembershipHost.TryStart(own, hostEvents, out refusal);
        if (host is not null || refusal.Length > 0) return host;
        place.Port = 0;
        return MembershipHost.TryStart(own, hostEvents, out refusal);
    }

    private static string? FindFault(IMembershipLease lease)
    {
        if (lease.Term is < 1 or > ServingLease.LastTerm) return $"of the term {lease.Term}";
        return lease.Duration < TimeSpan.FromSeconds(1) ? $"of {lease.Duration}" : null;
    }

    private async ValueTask<T> CallAsync<T>(
        Func<CancellationToken, ValueTask<T>> call, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(CallTime);
        return await call(limit.Token).AsTask().WaitAsync(limit.Token).ConfigureAwait(false);
    }
}
