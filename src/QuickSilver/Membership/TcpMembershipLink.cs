using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Agent;

namespace QuickSilver.Membership;

/// <summary>
/// A node's channel to its membership server over TCP. A task finds a server, connects, and passes events to the core
/// thread as requests: connected, batches of frames, disconnected, in this order. When the connection ends, the task
/// connects again: first at once, then after growing pauses with jitter. The nodes of a dead server thus do not all
/// connect at the same moment.
/// </summary>
internal sealed class TcpMembershipLink : IMembershipLink, IFrameReceiver, IRequestTarget, IAsyncDisposable
{
    private const long Opened = 0;
    private const long Frames = 1;
    private const long Ended = 2;
    private const long Rest = 3;

    // A join of thousands of groups is many milliseconds of frames. After this time the rest waits for the next turn.
    private static readonly TimeSpan TurnShare = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan SteadyTime = TimeSpan.FromSeconds(2);

    /// <summary>The time after the end of a leaving node's connection until it connects again. The server ends the
    /// connection when the node has left, and the node stops before the time is over.</summary>
    internal static readonly TimeSpan LeavingPause = TimeSpan.FromMilliseconds(200);

    private readonly MembershipConnector _connector;
    private readonly RequestQueue _requests;
    private readonly ILinkHandler _handler;
    private readonly ILinkEvents _events;
    private readonly FrameLimits _limits;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private Task _running = Task.CompletedTask;
    private FrameConnection? _open;
    private CancellationTokenSource _search;
    private FrameConnection? _current;
    private volatile bool _expectsEnd;
    private long _awayTicks;
    private IPAddress? _localAddress;

    // Core thread: the batch that is not handled to its end, and what came after it.
    private FrameBatch? _unfinished;
    private readonly Queue<(object Payload, long Argument)> _behind = new();

    /// <summary>Creates a link that is idle before <see cref="Start"/>.</summary>
    /// <param name="connector">Finds servers; the link disposes of it.</param>
    /// <param name="requests">The request queue of the core thread.</param>
    /// <param name="handler">Receives connections and frames, on the core thread.</param>
    /// <param name="events">Receives events for diagnostics.</param>
    /// <param name="silence">The time after which a silent connection is dropped, several heartbeats long; null for
    /// never. A server answers heartbeats.</param>
    public TcpMembershipLink(
        MembershipConnector connector, RequestQueue requests, ILinkHandler handler, ILinkEvents events,
        TimeSpan? silence = null)
    {
        _connector = connector;
        _requests = requests;
        _handler = handler;
        _events = events;
        _search = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        _limits = new FrameLimits { Silence = silence ?? Timeout.InfiniteTimeSpan };
    }

    /// <summary>The membership host of this process; null when another process serves. Any thread.</summary>
    public MembershipHost? Host => _connector.Host;

    /// <inheritdoc/>
    public ulong Electorate => _connector.Electorate;

    /// <summary>The local address of the latest connection; null before the first one. Any thread.</summary>
    public IPAddress? LocalAddress => Volatile.Read(ref _localAddress);

    /// <summary>Takes another list of servers: a search under way begins again with it, an open connection stays. Any
    /// thread.</summary>
    /// <returns>False where no list is looked at.</returns>
    public bool TryChangeServers(IReadOnlyList<(string Host, int Port)> servers)
    {
        if (!_connector.TryChangeServers(servers)) return false;
        CancellationTokenSource search;
        lock (_lock) search = _search;
        _ = search.CancelAsync();
        return true;
    }

    /// <summary>Describes what came of the last attempt at each server; null where there is one place only. Any
    /// thread.</summary>
    public string? DescribeTries() => _connector.DescribeTries();

    /// <summary>Starts the search for a server. Call once. The caller's execution context does not flow.</summary>
    public void Start()
    {
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <inheritdoc/>
    public void Send(ReadOnlySpan<byte> frame) => _current?.Send(frame);

    /// <summary>Ends the connection, and searches for a server after a pause. Core thread.</summary>
    public void StayAway(TimeSpan time)
    {
        Volatile.Write(ref _awayTicks, time.Ticks);
        _current?.Close();
    }

    /// <summary>Ends the connection at once, and searches for a server again, because the node has another address.
    /// Core thread.</summary>
    public void Reconnect()
    {
        _current?.Abort(FrameEnd.Stopped);
        _current = null;
    }

    /// <summary>Announces that the node is about to leave: an end of the connection is then no failure. Core
    /// thread.</summary>
    public void ExpectEnd() => _expectsEnd = true;

    /// <summary>Sends the queued frames, closes the connection, and stops the search. Core thread, at the end of the
    /// node, after it has left.</summary>
    public void Close()
    {
        _current?.Close();
        _current = null;
        _ = _stop.CancelAsync();
    }

    /// <summary>Ends the link and its connector: at most a second after <see cref="Close"/>, or at once without that
    /// call.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        FrameConnection? open;
        lock (_lock) open = _open;
        if (open is { IsClosing: false }) open.Abort(FrameEnd.Stopped);
        try
        {
            await _running.ConfigureAwait(false);
        }
        finally
        {
            await _connector.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public void OnFrames(FrameConnection connection, FrameBatch frames)
    {
        if (!_requests.Enqueue(this, frames, Frames)) Finish(connection, frames);
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        if (argument != Rest)
        {
            _behind.Enqueue((payload!, argument));
            if (_unfinished is not null) return;
        }
        long since = Stopwatch.GetTimestamp();
        if (_unfinished is { } rest && !TryHandle(rest, since, now)) return;
        while (_behind.TryDequeue(out (object Payload, long Argument) next))
        {
            if (next.Argument != Frames) Handle(next.Payload, next.Argument, now);
            else if (!TryHandle((FrameBatch)next.Payload, since, now)) return;
        }
    }

    private void Handle(object payload, long argument, Instant now)
    {
        if (argument == Opened)
        {
            var opened = (FrameConnection)payload;
            if (Volatile.Read(ref _awayTicks) > 0)
            {
                // The task connected before it saw the request to stay away.
                opened.Close();
                return;
            }
            _current = opened;
            _handler.OnMembershipConnected(now);
            return;
        }
        bool wasOpen = _current is not null;
        _current = null;
        if (wasOpen) _handler.OnMembershipDisconnected(now);
    }

    // False when the time is over: the rest is handled in the next turn. A queue that takes no more requests belongs to
    // a node that ends.
    private bool TryHandle(FrameBatch frames, long since, Instant now)
    {
        _unfinished = null;
        FrameConnection? source = _current;
        while (_current is not null && frames.TryNext(out ReadOnlySpan<byte> frame))
        {
            _handler.OnMembershipFrame(frame, now);
            if (frames.IsAtEnd || Stopwatch.GetElapsedTime(since) < TurnShare) continue;
            if (!_requests.Enqueue(this, null, Rest)) continue;
            _unfinished = frames;
            return false;
        }
        Finish(source, frames);
        return true;
    }

    private static void Finish(FrameConnection? connection, FrameBatch frames)
    {
        frames.Return();
        connection?.OnHandled();
    }

    private async Task RunAsync()
    {
        int failures = 0;
        string reported = "";
        while (!_stop.IsCancellationRequested)
        {
            CancellationToken search = BeginSearch();
            Reached reached = await TryConnectAsync(search).ConfigureAwait(false);
            if (reached.Socket is null && search.IsCancellationRequested)
            {
                failures = 0;
                continue;
            }
            if (reached.Socket is null)
            {
                if (!_stop.IsCancellationRequested) Report(reached, isNews: reached.Failure != reported);
                reported = reached.Failure;
                failures++;
            }
            else
            {
                reported = "";
                long start = Stopwatch.GetTimestamp();
                await CarryAsync(reached).ConfigureAwait(false);
                failures = Stopwatch.GetElapsedTime(start) > SteadyTime ? 0 : failures + 1;
            }
            await PauseAsync(failures).ConfigureAwait(false);
        }
    }

    private CancellationToken SearchToken
    {
        get
        {
            lock (_lock) return _search.Token;
        }
    }

    private CancellationToken BeginSearch()
    {
        lock (_lock)
        {
            // Not disposed of: another thread may be about to cancel it.
            if (_search.IsCancellationRequested)
                _search = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            return _search.Token;
        }
    }

    private void Report(in Reached failed, bool isNews)
    {
        if (isNews) _events.OnUnreachable(failed.Failure);
        if (failed.IsVerdict) _events.OnUntrusted(failed.Failure);
    }

    // Catches every exception, even those that a connector should not throw: the next attempt may succeed, and a link
    // that stops would never connect again.
    private async ValueTask<Reached> TryConnectAsync(CancellationToken search)
    {
        try
        {
            return await _connector.TryConnectAsync(_events, search).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            return Reached.Failed(failure.Message);
        }
    }

    private async Task CarryAsync(Reached reached)
    {
        FrameConnection connection;
        try
        {
            connection = new FrameConnection(reached.Socket!, this, _limits, reached.Stream);
        }
        catch (SocketException)
        {
            if (reached.Stream is not null) await reached.Stream.DisposeAsync().ConfigureAwait(false);
            reached.Socket!.Dispose();
            return;
        }
        Volatile.Write(ref _localAddress, connection.LocalAddress);
        lock (_lock) _open = connection;
        if (_stop.IsCancellationRequested) connection.Abort(FrameEnd.Stopped);
        if (!_requests.Enqueue(this, connection, Opened)) connection.Abort(FrameEnd.Stopped);
        _events.OnConnected(connection.Remote);
        FrameEnd end = await connection.RunAsync().ConfigureAwait(false);
        lock (_lock) _open = null;
        _requests.Enqueue(this, connection, Ended);
        _events.OnLost(connection.Remote, _expectsEnd ? FrameEnd.Stopped : end);
    }

    private async Task PauseAsync(int failures)
    {
        TimeSpan longest = ReconnectPace.LongestAfter(failures);
        var away = TimeSpan.FromTicks(Interlocked.Exchange(ref _awayTicks, 0));
        if (_expectsEnd && away < LeavingPause) away = LeavingPause;
        try
        {
            await Task.Delay(away, _stop.Token).ConfigureAwait(false);
            await Task.Delay(longest * Random.Shared.NextDouble(), SearchToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }
}
