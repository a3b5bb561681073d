using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>
/// Asks the other configured addresses, and those that discovery finds, whether a host of the same cluster serves
/// there, at the start and then once a minute. All are asked in parallel.
/// <para>
/// Every host listens before it asks, so of two that start at once each finds the other's port open. An address counts
/// as empty when its kernel has not connected within <see cref="DecisionTime"/>. The own kernel is asked whether it
/// has, so a process that gets no processor meanwhile does not miss the other. A connected peer is given
/// <see cref="AnswerTime"/>. Both hosts serve only if the network drops all packets between them for the first time,
/// or if neither process runs for the second.
/// </para>
/// </summary>
/// <param name="claim">The claim of the host.</param>
/// <param name="servers">The hosts and ports to ask; the host's own may be among them.</param>
/// <param name="countNodes">Returns the number of nodes registered at the host.</param>
/// <param name="events">Receives reports of rival hosts.</param>
/// <param name="security">Secures connections; null for none.</param>
/// <param name="discovery">Finds further addresses; null for none.</param>
internal sealed class RivalServerMonitor(
    HostClaim claim,
    IReadOnlyList<(string Host, int Port)> servers,
    Func<int> countNodes,
    IMembershipHostEvents events,
    ChannelSecurity? security = null,
    ServerDiscovery? discovery = null)
    : IAsyncDisposable
{
    private const int MaxAnswerBytes = 1 << 10;
    private static readonly TimeSpan ResolveTime = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private volatile IReadOnlyList<(string Host, int Port)> _servers = servers;
    private Task? _running;

    /// <summary>The time to wait for connections: a first packet that is lost is sent again after a second.</summary>
    public TimeSpan DecisionTime { get; init; } = TimeSpan.FromSeconds(1.5);

    /// <summary>The time to wait for the answer of a connected peer.</summary>
    public TimeSpan AnswerTime { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Waits for a time.</summary>
    public Func<TimeSpan, CancellationToken, Task> Delay { get; init; } = Task.Delay;

    /// <summary>Asks all addresses, then decides the claim.</summary>
    /// <returns>The address of a host that takes precedence; null when this host serves.</returns>
    public async Task<string?> DecideAsync()
    {
        if (discovery is not null) await discovery.ListenAsync(_stop.Token).ConfigureAwait(false);
        if (HasAnyToAsk) await AskAllAsync().ConfigureAwait(false);
        return claim.Decide();
    }

    /// <summary>Starts to ask at intervals, unless there is nobody to ask. Any thread.</summary>
    public void Start()
    {
        lock (_lock)
        {
            if (!HasAnyToAsk || _running is not null || _stop.IsCancellationRequested) return;
            using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
        }
    }

    /// <summary>Asks other addresses from now on. Any thread.</summary>
    /// <param name="servers">The hosts and ports; the host's own may be among them.</param>
    public void ChangeServers(IReadOnlyList<(string Host, int Port)> servers)
    {
        _servers = servers;
        Start();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        Task? running;
        lock (_lock) running = _running;
        if (running is not null) await running.ConfigureAwait(false);
    }

    private async Task RunAsync()
    {
        TimeSpan pause = FirstPause;
        while (!_stop.IsCancellationRequested)
        {
            await Task.Delay(pause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested) return;
            await AskAllAsync().ConfigureAwait(false);
            pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
        }
    }

    private bool HasAnyToAsk => _servers.Count > 0 || discovery is not null;

    private async Task AskAllAsync()
    {
        IEnumerable<(string Host, int Port)> all = _servers;
        try
        {
            if (discovery is not null)
                all = all.Union(await discovery.FindAsync(withCandidates: true, _stop.Token).ConfigureAwait(false));
        }
        catch (OperationCanceledException)
        {
            return;
        }
        await Task.WhenAll(all.Select(server => AskAsync(server.Host, server.Port))).ConfigureAwait(false);
    }

    // An address without a listener, or without an answer, has no rival.
    private async Task AskAsync(string host, int port)
    {
        (IPAddress[] addresses, _) =
            await HostAddresses.FindAsync(host, ResolveTime, _stop.Token).ConfigureAwait(false);
        HostClaimFrame?[] answers = await Task.WhenAll(
            addresses.Select(address => AskAsync(host, new IPEndPoint(address, port)))).ConfigureAwait(false);
        string place = MembershipOptions.PlaceOf(host, port);
        foreach (HostClaimFrame answer in answers.OfType<HostClaimFrame>())
        {
            if (claim.OnOther(answer, place)) events.OnRival(place, answer.Nodes);
        }
    }

    private async Task<HostClaimFrame?> AskAsync(string host, IPEndPoint server)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        var frame = new FrameBuilder();
        claim.ToFrame(countNodes()).WriteTo(frame, FrameKind.HostQuery);
        try
        {
            using var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            await ConnectAsync(socket, server).ConfigureAwait(false);
            end.CancelAfter(AnswerTime);
            await using Stream stream = security is null
                ? new NetworkStream(socket)
                : (await security.OpenAsNodeAsync(socket, host, end.Token).ConfigureAwait(false)).Stream;
            byte[]? answer = await FrameExchange.AskAsync(stream, frame.ToArray(), MaxAnswerBytes, end.Token)
                .ConfigureAwait(false);
            return answer is null ? null : HostClaimFrame.TryRead(answer, FrameKind.HostAnswer);
        }
        // A host with another key is another cluster: its log tells that this one called.
        catch (Exception silent)
            when (silent is SocketException or IOException or OperationCanceledException or HandshakeException)
        {
            return null;
        }
    }

    // When the time is up, the connection may be there and this process not know of it yet: its kernel knows.
    private async Task ConnectAsync(Socket socket, IPEndPoint server)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        Task connecting = socket.ConnectAsync(server, end.Token).AsTask();
        await Task.WhenAny(connecting, Delay(DecisionTime, end.Token)).ConfigureAwait(false);
        bool hasOutcome = connecting.IsCompleted || socket.Poll(TimeSpan.Zero, SelectMode.SelectWrite);
        if (hasOutcome) await connecting.ConfigureAwait(false);
        await end.CancelAsync().ConfigureAwait(false);
        await connecting.ConfigureAwait(false);
    }
}
