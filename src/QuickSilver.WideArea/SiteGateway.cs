using System.Net;
using System.Net.Sockets;
using QuickSilver.Diagnostics;
using QuickSilver.Security;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Ordering;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Running;
using Log = QuickSilver.WideArea.Diagnostics.Log;

namespace QuickSilver.WideArea;

/// <summary>
/// Joins the groups of a site's cluster to those of other sites. It runs beside a node of the cluster, joins the groups
/// that span sites, sends what members of its site send there to the gateways of the other sites, and publishes what
/// comes from them. Members need to know nothing of it: the gateway is a member as others are, and the sender of what
/// comes from other sites.
/// <para>
/// Order is that of each sender, as within a site. What came from a site is forwarded to none, so nothing circles.
/// Each member gets one copy; a gateway that died and comes back may publish again what it had not yet acknowledged.
/// </para>
/// <para>
/// Its node sends nothing else into these groups: what the node itself sends does not leave the site. Give the gateway
/// a node of its own. A site has one active gateway; with <see cref="SiteGatewayOptions.Standby"/> others stand by and
/// take over when it is gone.
/// </para>
/// The gateway owns a thread and a UDP socket, and with links by TCP also a socket that listens and connections; the
/// node stays the caller's. All members may be called from any thread.
/// Source: third paper, Hop and its overlay (docs/wide-area.md).
/// </summary>
public sealed class SiteGateway : IAsyncDisposable
{
    private static readonly TimeSpan DrainTimeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan OtherTimeout = TimeSpan.FromSeconds(30);

    private readonly SiteGatewayOptions _options;
    private readonly GatewayLog _log;
    private readonly GatewayParts _parts;
    private readonly GatewayRole _role;
    private readonly GatewayMeter _meter;
    private readonly GroupWorker[] _workers;
    private readonly CancellationTokenSource _stopReading = new();
    private readonly CancellationTokenSource _stopAll = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task[] _readers = [];
    private Task _resolving = Task.CompletedTask;
    private int _isDisposed;

    private SiteGateway(QuickSilverNode node, SiteGatewayOptions options)
    {
        Node = node;
        _options = options;
        var plan = new GatewayPlan(options);
        LinkKey[] keys = LinkKey.Read(options);
        CertificateSource? certificates = plan.Streams.Count > 0
            ? GatewayStreams.ReadCertificates(options, OnCertificateStale) : null;
        IPEndPoint listen = IPEndPoint.Parse(options.Listen);
        (GatewaySocket socket, Socket? listening) = certificates is null
            ? (new GatewaySocket(listen), null) : GatewayStreams.Open(listen);
        _log = new GatewayLog(options.LoggerFactory ?? StandardErrorLog.Instance);
        var addresses = new AddressBook(plan, socket, IsUp, _log);
        GatewayStreams? streams = certificates is null
            ? null : new GatewayStreams(plan, listening!, certificates, addresses, IsUp, _log);
        var presence = new GatewayPresence(node, options.Site, plan.Map.Hash);
        _parts = new GatewayParts(
            node, options, plan, keys, socket, streams, addresses, presence, new GatewayFigures(), _log,
            options.OrdersGroups ? new OrderGateway(node, options, plan, _log) : null);
        _workers = [.. options.Groups.Select(
            name => new GroupWorker(name, node, presence, options, _parts.Figures, _log))];
        _role = new GatewayRole(_parts, _workers) { OnLife = life => _ = FailWithAsync(life) };
        _meter = new GatewayMeter(options.MeterFactory, GetStatistics);
    }

    /// <summary>The node beside which it runs.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>Name of its site.</summary>
    public string Site => _options.Site;

    /// <summary>Where it listens.</summary>
    public IPEndPoint LocalEndPoint => _parts.Socket.LocalEndPoint;

    /// <summary>Completes after <see cref="DisposeAsync"/>. Faults if the gateway fails.</summary>
    public Task Completion => _ended.Task;

    /// <summary>Starts a gateway: opens its socket, and joins the groups. It is then active, or with
    /// <see cref="SiteGatewayOptions.Standby"/> stands by for another. Links come up afterwards:
    /// <see cref="WaitForSitesAsync"/>.</summary>
    /// <param name="node">A node of the site's cluster, better one of the gateway's own. It outlives the gateway.
    /// </param>
    /// <param name="options">How it reaches the others; copied and validated.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="ArgumentException">Options are invalid, or a file with a key or certificate cannot be used; the
    /// message lists every fault with the path of its option.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.InterfaceUnavailable"/> or
    /// <see cref="ErrorCode.PortsExhausted"/>: it cannot listen. Or as of <see cref="QuickSilverNode.JoinAsync"/>.
    /// </exception>
    /// <exception cref="InvalidOperationException">The cluster has a gateway, which has not ended within 30 s, and
    /// <see cref="SiteGatewayOptions.Standby"/> is not set; or the node has one.</exception>
    /// <exception cref="OperationCanceledException">The start was cancelled.</exception>
    public static async Task<SiteGateway> StartAsync(
        QuickSilverNode node, SiteGatewayOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(options);
        SiteGatewayOptions copy = options.Copy();
        copy.Check().ThrowIfAny(nameof(options));
        cancellationToken.ThrowIfCancellationRequested();
        var gateway = new SiteGateway(node, copy);
        try
        {
            await gateway.BeginAsync(cancellationToken).ConfigureAwait(false);
            return gateway;
        }
        catch
        {
            await gateway.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The figures of the gateway and its links, at most 0.2 s old. Allocates a copy.
    /// </summary>
    public SiteGatewayStatistics GetStatistics()
    {
        GatewayLife? life = _role.Life;
        GatewayFigures figures = _parts.Figures;
        SiteGatewayStatistics latest = life?.Watch.Latest ?? new SiteGatewayStatistics
        {
            Site = Site,
            MessagesForwarded = figures.Forwarded,
            MessagesPublished = figures.Published,
            MessagesMissed = figures.Missed,
            MessagesRefused = figures.Refused,
            RecordsLost = figures.Lost,
        };
        return latest with
        {
            DatagramsDropped = _parts.Socket.Dropped + (_parts.Streams?.Dropped ?? 0),
            ConnectionsRefused = _parts.Streams?.Refused ?? 0,
            MessagesKept = _workers.Sum(static worker => (long)worker.Kept),
            MessagesLetGo = figures.LetGo,
            MessagesDuplicated = life?.Copies ?? 0,
            Order = _parts.Order is { } order ? OrderFigures.Of(order.Member) : null,
        };
    }

    /// <summary>Waits until this gateway is the active one of its site: at once for the only one. One that stands by
    /// (<see cref="SiteGatewayOptions.Standby"/>) becomes it when it takes over.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the node beside the
    /// active gateway.</exception>
    /// <exception cref="ObjectDisposedException">The gateway has been disposed of.</exception>
    /// <exception cref="QuickSilverException">The gateway has failed.</exception>
    public async Task WaitForActiveAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            if (Completion.IsCompleted)
            {
                await Completion.ConfigureAwait(false);
                throw new ObjectDisposedException(nameof(SiteGateway));
            }
            if (_role.Life is not null) return;
            await Task.Delay(LookPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!cancellationToken.IsCancellationRequested) continue;
            throw new OperationCanceledException(
                $"{nameof(WaitForActiveAsync)} was cancelled. The gateway beside node {_role.Other} is active.",
                cancellationToken);
        }
    }

    /// <summary>Waits until all other sites of the overlay can be reached. What is sent before is kept for
    /// <see cref="SiteGatewayOptions.HoldTime"/>. A gateway that stands by reaches none until it takes over.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the sites that were not
    /// reached.</exception>
    /// <exception cref="ObjectDisposedException">The gateway has been disposed of.</exception>
    /// <exception cref="QuickSilverException">The gateway has failed.</exception>
    public async Task WaitForSitesAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            SiteGatewayStatistics now = GetStatistics();
            if (now.Routes.Count == _parts.Plan.Map.Count - 1 && now.Routes.All(static route => route.Via is not null))
                return;
            if (Completion.IsCompleted)
            {
                await Completion.ConfigureAwait(false);
                throw new ObjectDisposedException(nameof(SiteGateway));
            }
            await Task.Delay(LookPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!cancellationToken.IsCancellationRequested) continue;
            IEnumerable<string> missing = Enumerable.Range(0, _parts.Plan.Map.Count).Select(_parts.Plan.Map.NameOf)
                .Where(name => name != Site && !now.Routes.Any(route => route.Site == name && route.Via is not null));
            throw new OperationCanceledException(
                $"{nameof(WaitForSitesAsync)} was cancelled. Not reached: {string.Join(", ", missing)}.",
                cancellationToken);
        }
    }

    /// <summary>Leaves the groups, waits up to two seconds until other sites hold what was sent, and ends the links.
    /// Then another that stands by takes over. The node goes on.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        await _stopReading.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_readers).ConfigureAwait(false);
        await _role.EndAsync(DrainTimeout).ConfigureAwait(false);
        await EndAsync().ConfigureAwait(false);
    }

    /// <summary>Ends as a crash would, for tests: nothing is drained, and nobody is told.</summary>
    internal async Task KillAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        await _role.EndAsync(TimeSpan.Zero).ConfigureAwait(false);
        await _stopReading.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_readers).ConfigureAwait(false);
        await EndAsync().ConfigureAwait(false);
    }

    private async Task EndAsync()
    {
        await _stopAll.CancelAsync().ConfigureAwait(false);
        await _resolving.ConfigureAwait(false);
        if (_parts.Streams is { } streams) await streams.DisposeAsync().ConfigureAwait(false);
        await _parts.Socket.DisposeAsync().ConfigureAwait(false);
        if (_parts.Order is { } order) await order.DisposeAsync().ConfigureAwait(false);
        await _parts.Presence.DisposeAsync().ConfigureAwait(false);
        foreach (LinkKey key in _parts.Keys) key.Dispose();
        _meter.Dispose();
        _log.Post(logger => Log.Stopped(logger, _options.Site));
        await _log.DisposeAsync().ConfigureAwait(false);
        _ended.TrySetResult();
    }

    private void OnCertificateStale(string fault) =>
        _log.Post(logger => Log.CertificateStale(logger, Site, fault));

    private bool IsUp(string site) =>
        GetStatistics().Links.Any(link => link.Site == site && link.State == SiteLinkState.Up);

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        _parts.Presence.TakeNode();
        await _parts.Addresses.ResolveAsync(cancellationToken).ConfigureAwait(false);
        _resolving = Task.Run(() => _parts.Addresses.RunAsync(_stopAll.Token), CancellationToken.None);
        _parts.Streams?.Start();
        _parts.Presence.Start(_role);
        await _parts.Presence.FirstJoin.WaitAsync(cancellationToken).ConfigureAwait(false);
        _parts.Order?.Start();
        // A gateway that stands by hears what the active one may take along when it dies.
        if (!_options.Standby) await FindRoleAsync(cancellationToken).ConfigureAwait(false);
        _readers =
        [
            .. _workers.Select(worker => Task.Run(() => worker.ReadAsync(_stopReading.Token), CancellationToken.None)),
        ];
        await Task.WhenAll(_workers.Select(static worker => worker.FirstJoin)).WaitAsync(cancellationToken)
            .ConfigureAwait(false);
        if (_parts.Order is { } order)
            await order.FirstJoin.WaitAsync(cancellationToken).ConfigureAwait(false);
        if (_options.Standby) await FindRoleAsync(cancellationToken).ConfigureAwait(false);
        string address = LocalEndPoint.ToString();
        _log.Post(logger => Log.Started(logger, _options.Site, _options.Overlay, address, _workers.Length));
    }

    private async Task FindRoleAsync(CancellationToken cancellationToken)
    {
        long until = Environment.TickCount64 + (long)OtherTimeout.TotalMilliseconds;
        while (_role.Life is null && !(_options.Standby && _role.Other is not null))
        {
            // Of a version that tells nothing: its end is waited for.
            if (Environment.TickCount64 >= until && _options.Standby) return;
            if (Environment.TickCount64 >= until) throw _parts.Presence.Refusal();
            await Task.Delay(LookPause, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task FailWithAsync(GatewayLife life)
    {
        await life.Ended.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (life.Ended.Exception is not { } fault) return;
        _ended.TrySetException(fault.InnerException!);
        // Another takes over.
        await _parts.Presence.DisposeAsync().ConfigureAwait(false);
    }
}
