using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Membership;

/// <summary>
/// Serves the membership over TCP: a listener, a connection per node, and one thread of its own that runs the membership servers, which are pure
/// state machines. Separate from the node's core thread, so that a busy node serves no worse, and a node can stop while its host still says goodbye
/// to others.
/// </summary>
internal sealed class MembershipHost : IAsyncDisposable
{
    private const int Backlog = 512;
    private const int MostLooks = 100;
    private static readonly TimeSpan CrowdedPause = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(5);

    private readonly MembershipHostSettings _settings;
    private readonly IMembershipHostEvents _events;
    private readonly RequestQueue _requests;
    private readonly HostedServers _servers;
    private readonly CoreThread _thread;
    private readonly CancellationTokenSource _stop = new();
    private readonly Strangers _strangers;
    private readonly FrameLimits _limits;
    private readonly Lock _lock = new();
    private readonly HashSet<Task> _connections = [];
    private readonly Task _accepting;
    private volatile Socket _listener;

    private MembershipHost(Socket listener, MembershipHostSettings settings, IMembershipHostEvents events)
    {
        _listener = listener;
        _settings = settings;
        _events = events;
        var clock = new MonotonicClock();
        var alarms = new AlarmQueue();
        var idle = new NoCompletions();
        var gate = new WakeGate(idle);
        _requests = new RequestQueue(gate, capacity: 64);
        _strangers = new Strangers(settings.MostStrangers, settings.MostStrangersOfAddress, settings.MostStrangersOfMachine);
        _limits = settings.Limits with { Unfinished = new UnfinishedFrames(settings.MostUnfinished) };
        _servers = new HostedServers(settings, alarms, Counters, events, _strangers);
        new ThreadPoolMonitor(_requests, alarms, _servers, settings.Server.FailureTimeout).Start(clock.Now);
        var loop = new LoopTurn(new LoopParts(clock, _requests, idle, idle, alarms, idle));
        var options = new CoreThreadOptions { Name = "QuickSilver membership" };
        _thread = new CoreThread(loop, _requests, idle, gate, clock, options, _servers);
        _thread.Start();
        using (ExecutionContext.SuppressFlow()) _accepting = Task.Run(AcceptAllAsync);
    }

    /// <summary>Where it listens.</summary>
    public IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndPoint!;

    /// <summary>Registered nodes, a turn ago.</summary>
    public int Nodes => _servers.Nodes;

    /// <summary>Its counters.</summary>
    public HostCounters Counters { get; } = new();

    /// <summary>Bytes held of frames that have not come whole. Any thread.</summary>
    public long UnfinishedBytes => _limits.Unfinished!.Held;

    /// <summary>False once it has failed or been disposed.</summary>
    public bool IsRunning => !_thread.Ended.IsCompleted && !_stop.IsCancellationRequested;

    /// <summary>Starts to serve, if the address is free.</summary>
    /// <param name="settings">What it is told.</param>
    /// <param name="events">Told of trouble.</param>
    /// <param name="refusal">Why it does not serve, where that is more than that another serves there.</param>
    /// <returns>The host, or null.</returns>
    public static MembershipHost? TryStart(MembershipHostSettings settings, IMembershipHostEvents events, out string refusal)
    {
        return TryListen(settings.EndPoint, out refusal) is { } listener ? new MembershipHost(listener, settings, events) : null;
    }

    /// <summary>Listens at another endpoint from now on; connections that stand go on. Any thread.</summary>
    /// <returns>False when that one is not to be had: it listens where it did.</returns>
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
            // On Windows anybody could else bind on top. On Unix nobody can, and the framework lets a port in TIME_WAIT be bound at once.
            if (OperatingSystem.IsWindows()) listener.ExclusiveAddressUse = true;
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
    /// Lets what has come be handled and what was answered be sent, up to a second, and closes everything. A step under way is finished first, up to
    /// half a second: members that have installed a step which nobody tells them to use would hold back what they send until another server comes.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (_stop.IsCancellationRequested) return;
        for (int look = 0; look < MostLooks && _servers.IsBusy && !_thread.Ended.IsCompleted; look++)
        {
            await Task.Delay(LookInterval).ConfigureAwait(false);
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

    /// <summary>Members of a name are gone for good. Any thread.</summary>
    /// <param name="cluster">Their cluster.</param>
    /// <param name="name">Their name.</param>
    /// <returns>How many there were; -1 when the host has ended.</returns>
    public Task<int> ForgetMemberAsync(string cluster, string name)
    {
        var forgotten = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = _requests.Enqueue(new CoreAction(now => forgotten.TrySetResult(_servers.ForgetMember(cluster, name, now))));
        return isQueued ? Task.WhenAny(forgotten.Task, AsNoneAsync(_thread.Ended)).Unwrap() : Task.FromResult(-1);
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
                // It listens elsewhere now, or not at all.
                continue;
            }
            catch (SocketException)
            {
                // Out of descriptors, or the caller went away again: neither ends the host.
                await Task.Delay(TimeSpan.FromMilliseconds(10)).ConfigureAwait(false);
                continue;
            }
            Counters.CountAccepted();
            // Whoever comes again and again as fast as it can is let in no faster than this.
            if (Start(++id, socket)) continue;
            await Task.Delay(CrowdedPause).ConfigureAwait(false);
        }
    }

    /// <returns>False when there was no room but by ending another, or none at all.</returns>
    private bool Start(long id, Socket socket)
    {
        HostedConnection? oldest;
        lock (_lock)
        {
            if (_connections.Count >= _settings.MostConnections + _settings.MostStrangers)
            {
                string remote = socket.RemoteEndPoint?.ToString() ?? "";
                socket.Dispose();
                if (Counters.CountEnded(FrameEnd.NoRoom)) _events.OnDropped(remote, FrameEnd.NoRoom, Counters.EndedBy(FrameEnd.NoRoom));
                return false;
            }
            HostedConnection connection;
            try
            {
                connection = new HostedConnection(id, socket, _limits, _servers, _requests);
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
        // The caller holds the lock: nothing of the connection runs inside it.
        await Task.Yield();
        FrameEnd end = await connection.RunAsync().ConfigureAwait(false);
        _strangers.Remove(connection);
        bool isTold = Counters.CountEnded(end) && end is not (FrameEnd.Closed or FrameEnd.Stopped or FrameEnd.Broken);
        if (isTold) _events.OnDropped(connection.Link.Remote, end, Counters.EndedBy(end));
    }

    private void Forget(Task ended)
    {
        lock (_lock) _connections.Remove(ended);
    }
}
