using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>
/// Serves the membership over TCP, with a listener, a connection per node, and one thread that runs the membership
/// server, which is a pure state machine. The thread is separate from the node's core thread. A busy node thus serves
/// as well as an idle one, and a node can stop while its host still ends the connections of others.
/// </summary>
internal sealed class MembershipHost : IAsyncDisposable
{
    private const int Backlog = 512;
    private const int MaxChecks = 100;
    private static readonly TimeSpan CrowdedPause = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan CheckInterval = TimeSpan.FromMilliseconds(5);

    private readonly MembershipHostSettings _settings;
    private readonly IMembershipHostEvents _events;
    private readonly RequestQueue _requests;
    private readonly HostedServer _server;
    private readonly LoopTurn _loop;
    private readonly CoreThread _thread;
    private readonly CancellationTokenSource _stop = new();
    private readonly Strangers _strangers;
    private readonly FrameLimits _limits;
    private readonly SemaphoreSlim _handshakes;
    private readonly Lock _lock = new();
    private readonly HashSet<Task> _connections = [];
    private readonly Task _accepting;
    private volatile Socket _listener;

    private MembershipHost(Socket listener, MembershipHostSettings settings, IMembershipHostEvents events)
    {
        _listener = listener;
        _settings = settings;
        _events = events;
        IClock clock = settings.Clock ?? new MonotonicClock();
        var alarms = new AlarmQueue();
        var idle = new NoCompletions();
        var gate = new WakeGate(idle);
        _requests = new RequestQueue(gate, capacity: 64);
        _strangers = new Strangers(
            settings.MaxStrangers, settings.MaxStrangersPerAddress, settings.MaxStrangersPerLoopbackAddress);
        _handshakes = new SemaphoreSlim(settings.MaxHandshakes);
        _limits = settings.Limits with { Unfinished = new UnfinishedFrames(settings.MaxUnfinishedBytes) };
        _server = new HostedServer(settings, alarms, Counters, events, _strangers);
        new ThreadPoolMonitor(_requests, alarms, _server, settings.Server.FailureTimeout).Start(clock.Now);
        _loop = new LoopTurn(new LoopParts(clock, _requests, idle, idle, alarms, idle));
        var options = new CoreThreadOptions { Name = "QuickSilver membership" };
        _thread = new CoreThread(_loop, _requests, idle, gate, clock, options, _server);
        _thread.Start();
        using (ExecutionContext.SuppressFlow()) _accepting = Task.Run(AcceptAllAsync);
    }

    /// <summary>The endpoint that the host listens on. Any thread.</summary>
    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndPoint!;

    /// <summary>The number of registered nodes, as of the last turn. Any thread.</summary>
    public int Nodes => _server.Nodes;

    /// <summary>The term of the server, as of the last turn; 0: none yet. Any thread.</summary>
    public ulong Term => _server.Term;

    /// <summary>The counters of connections. Any thread.</summary>
    public HostCounters Counters { get; } = new();

    /// <summary>The bytes held of unfinished frames. Any thread.</summary>
    public long UnfinishedBytes => _limits.Unfinished!.Held;

    /// <summary>False once the host has failed, has lost its lease or been disposed. Any thread.</summary>
    public bool IsRunning => !_thread.Ended.IsCompleted && !_stop.IsCancellationRequested && !_server.HasLapsed;

    /// <summary>Starts a host, if the endpoint is free.</summary>
    /// <param name="settings">The settings of the host.</param>
    /// <param name="events">Receives refusals, drops, holds and failures.</param>
    /// <param name="refusal">The reason of a failure; empty when another process has the endpoint.</param>
    /// <returns>The running host; null after a failure.</returns>
    public static MembershipHost? TryStart(
        MembershipHostSettings settings, IMembershipHostEvents events, out string refusal)
    {
        return TryListen(settings.EndPoint, out refusal) is { } listener
            ? new MembershipHost(listener, settings, events)
            : null;
    }

    /// <summary>Listens on all addresses of both families, where the system has both.</summary>
    public static IPAddress AllAddresses => Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any;

    /// <summary>True for an address that stands for all addresses.</summary>
    public static bool IsAll(IPAddress address) => address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);

    /// <summary>The address at which this process reaches its own host: if that listens on all addresses, loopback,
    /// which never changes.</summary>
    public static IPAddress OwnAddressOf(IPEndPoint place) =>
        IsAll(place.Address) ? IPAddress.Loopback : place.Address;

    /// <summary>Listens on another endpoint from now on; existing connections continue. Any thread.</summary>
    /// <returns>False when that endpoint is unavailable: the host still listens on the previous one.</returns>
    public bool TryMove(IPEndPoint endPoint)
    {
        if (!IsRunning || TryListen(endPoint, out _) is not { } listener) return false;
        Socket before = Interlocked.Exchange(ref _listener, listener);
        before.Dispose();
        if (_stop.IsCancellationRequested) listener.Dispose();
        return true;
    }

    private static Socket? TryListen(IPEndPoint endPoint, out string refusal)
    {
        refusal = "";
        Socket? listener = null;
        try
        {
            listener = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            // On Windows another process could otherwise bind the same port. On Unix none can, and the framework
            // permits binding a port in TIME_WAIT.
            if (OperatingSystem.IsWindows()) listener.ExclusiveAddressUse = true;
            if (endPoint.Address.Equals(IPAddress.IPv6Any)) listener.DualMode = true;
            listener.Bind(endPoint);
            listener.Listen(Backlog);
            return listener;
        }
        catch (SocketException taken)
        {
            listener?.Dispose();
            if (taken.SocketErrorCode != SocketError.AddressAlreadyInUse) refusal = $"{endPoint}: {taken.Message}";
            return null;
        }
    }

    /// <summary>
    /// Stops the host: handles the received frames, sends the answers, for up to a second, and closes all connections.
    /// It first waits up to half a second for a step under way to finish. Members that have installed a step but do not
    /// learn that it is active would delay their messages until another server takes over.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (_stop.IsCancellationRequested) return;
        for (int look = 0; look < MaxChecks && _server.IsBusy && !_thread.Ended.IsCompleted; look++)
        {
            await Task.Delay(CheckInterval).ConfigureAwait(false);
        }
        await _stop.CancelAsync().ConfigureAwait(false);
        _listener.Dispose();
        await _accepting.ConfigureAwait(false);
        _thread.RequestStop();
        await _thread.Ended.ConfigureAwait(false);
        Task[] open;
        lock (_lock) open = [.. _connections];
        await Task.WhenAll(open).ConfigureAwait(false);
    }

    /// <summary>Lets an elected host serve from now on. Any thread.</summary>
    /// <param name="lease">Its lease.</param>
    /// <param name="clock">The clock of the lease.</param>
    public void Grant(ServingLease lease, IClock clock) =>
        _requests.Enqueue(new CoreAction(now => _server.Grant(lease, clock, now)));

    /// <summary>Reports that the lease of an elected host has been renewed. Any thread.</summary>
    /// <param name="asked">The instant before the call, by the clock of the lease.</param>
    public void Renew(Instant asked) => _requests.Enqueue(new CoreAction(_ => _server.Renew(asked)));

    /// <summary>Reports that the lease of an elected host is lost: it stops to serve. Any thread.</summary>
    public void Lose() => _requests.Enqueue(new CoreAction(_server.Lose));

    /// <summary>Removes members of a name that will not return. Any thread.</summary>
    /// <param name="name">The name of the members.</param>
    /// <returns>The number of members removed; -1 when the host has ended.</returns>
    public Task<int> ForgetMemberAsync(string name)
    {
        var forgotten = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = _requests.Enqueue(
            new CoreAction(now => forgotten.TrySetResult(_server.ForgetMember(name, now))));
        return isQueued ? Task.WhenAny(forgotten.Task, AsNoneAsync(_thread.Ended)).Unwrap() : Task.FromResult(-1);
    }

    /// <summary>Returns the longest turn of the host's thread since the call before. Any thread.</summary>
    public Task<TimeSpan> TakeLongestTurnAsync()
    {
        var taken = new TaskCompletionSource<TimeSpan>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = _requests.Enqueue(
            new CoreAction(_ => taken.TrySetResult(_loop.Statistics.TakeLongestLately())));
        return isQueued ? taken.Task : Task.FromResult(TimeSpan.Zero);
    }

    private static async Task<int> AsNoneAsync(Task ended)
    {
        await ended.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return -1;
    }

    private async Task AcceptAllAsync()
    {
        long id = 0;
        while (!_stop.IsCancellationRequested)
        {
            Socket socket;
            try
            {
                socket = await _listener.AcceptAsync(_stop.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (ObjectDisposedException)
            {
                // The host listens on another endpoint now, or has stopped.
                continue;
            }
            catch (SocketException)
            {
                // A lack of descriptors, or a peer that disconnected already: neither ends the host.
                await Task.Delay(TimeSpan.FromMilliseconds(10)).ConfigureAwait(false);
                continue;
            }
            Counters.CountAccepted();
            // The pause limits the rate of a peer that connects again and again.
            if (Start(++id, socket)) continue;
            await Task.Delay(CrowdedPause).ConfigureAwait(false);
        }
    }

    /// <returns>False when another connection had to end to make room, or when there is no room.</returns>
    private bool Start(long id, Socket socket)
    {
        HostedConnection? oldest;
        lock (_lock)
        {
            if (_connections.Count >= _settings.MaxConnections + _settings.MaxStrangers)
            {
                var remote = socket.RemoteEndPoint as IPEndPoint;
                socket.Dispose();
                if (Counters.CountEnded(FrameEnd.NoRoom, remote?.Address ?? IPAddress.None))
                    _events.OnDropped($"{remote}", FrameEnd.NoRoom, Counters.EndedBy(FrameEnd.NoRoom));
                return false;
            }
            HostedConnection connection;
            try
            {
                connection = new HostedConnection(id, socket, _limits, _server, _requests)
                {
                    Security = _settings.Security,
                    Handshakes = _handshakes,
                };
            }
            catch (SocketException)
            {
                socket.Dispose();
                return true;
            }
            oldest = _strangers.Add(connection);
            Task run = RunAsync(connection);
            _connections.Add(run);
            _ = run.ContinueWith(Forget, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        }
        oldest?.Link.Abort(FrameEnd.NoRoom);
        return oldest is null;
    }

    private async Task RunAsync(HostedConnection connection)
    {
        // The caller holds the lock; the connection must run outside it.
        await Task.Yield();
        FrameEnd end = await connection.RunAsync().ConfigureAwait(false);
        _strangers.Remove(connection);
        if (connection is { Security: not null, IsSecured: false }) _strangers.OnUnsecured();
        if (connection.Link.Refusal is { } refusal)
        {
            _ = Counters.CountEnded(end, connection.Address);
            if (Counters.CountFailed(refusal.Fault, connection.Address))
                _events.OnUnauthenticated(
                    connection.Link.Remote, refusal.Message, Counters.FailedFor(refusal.Fault),
                    isProbe: refusal.Fault == HandshakeFault.Probe);
            return;
        }
        if (Counters.CountEnded(end, connection.Address))
            _events.OnDropped(connection.Link.Remote, end, Counters.EndedBy(end));
    }

    private void Forget(Task ended)
    {
        lock (_lock) _connections.Remove(ended);
    }
}
