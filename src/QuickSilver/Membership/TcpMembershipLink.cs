using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>
/// A node's channel to its membership server over TCP. A task finds a server, connects, and brings what is received to the core thread as requests:
/// connected, batches of frames, disconnected, in this order; when the connection ends it begins again, at once at first, then after growing pauses
/// with jitter, so that the nodes of a dead server do not all come at the same moment.
/// </summary>
internal sealed class TcpMembershipLink : IMembershipLink, IFrameReceiver, IRequestTarget, IAsyncDisposable
{
    private const long Opened = 0;
    private const long Frames = 1;
    private const long Ended = 2;
    private static readonly TimeSpan SteadyTime = TimeSpan.FromSeconds(2);

    private readonly MembershipConnector _connector;
    private readonly RequestQueue _requests;
    private readonly ILinkHandler _handler;
    private readonly ILinkEvents _events;
    private readonly FrameLimits _limits;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private Task _running = Task.CompletedTask;
    private FrameConnection? _open;
    private FrameConnection? _current;
    private volatile bool _expectsEnd;
    private long _awayTicks;
    private IPAddress? _localAddress;

    /// <summary>Makes a link that does nothing before <see cref="Start"/>.</summary>
    /// <param name="connector">Finds servers; disposed with the link.</param>
    /// <param name="requests">The core thread's.</param>
    /// <param name="handler">Gets what comes, on the core thread.</param>
    /// <param name="events">Told what people should know.</param>
    /// <param name="silence">A server answers heartbeats: a connection by which nothing has come for so long is given up.
    /// Several heartbeats; null: never.</param>
    public TcpMembershipLink(MembershipConnector connector, RequestQueue requests, ILinkHandler handler, ILinkEvents events, TimeSpan? silence = null)
    {
        _connector = connector;
        _requests = requests;
        _handler = handler;
        _events = events;
        _limits = new FrameLimits { Silence = silence ?? Timeout.InfiniteTimeSpan };
    }

    /// <summary>The host of this process; null when another serves. Any thread.</summary>
    public MembershipHost? Host => _connector.Host;

    /// <summary>The address of this machine by which a server was reached last; null before the first time. Any thread.</summary>
    public IPAddress? LocalAddress => Volatile.Read(ref _localAddress);

    /// <summary>Starts to look for a server, without what flows with the caller. Once.</summary>
    public void Start()
    {
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <inheritdoc/>
    public void Send(ReadOnlySpan<byte> frame) => _current?.Send(frame);

    /// <summary>Ends the connection, and looks for a server again after a while only. Core thread.</summary>
    public void StayAway(TimeSpan time)
    {
        Volatile.Write(ref _awayTicks, time.Ticks);
        _current?.Close();
    }

    /// <summary>Ends the connection at once, and looks for a server again: the node has another address. Core thread.</summary>
    public void Reconnect()
    {
        _current?.Abort(FrameEnd.Stopped);
        _current = null;
    }

    /// <summary>The node is about to say goodbye, and whoever closes the connection then is no trouble. Core thread.</summary>
    public void ExpectEnd() => _expectsEnd = true;

    /// <summary>Sends what is queued, closes the connection and looks for no other. Core thread, at the node's end, after its goodbye.</summary>
    public void Close()
    {
        _current?.Close();
        _current = null;
        _ = _stop.CancelAsync();
    }

    /// <summary>Ends the link, at most a second after <see cref="Close"/>; without it, at once. Then ends the connector.</summary>
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
        switch (argument)
        {
            case Opened:
                var opened = (FrameConnection)payload!;
                if (Volatile.Read(ref _awayTicks) > 0)
                {
                    // The task was quicker than the word to stay away.
                    opened.Close();
                    break;
                }
                _current = opened;
                _handler.OnMembershipConnected(now);
                break;
            case Frames:
                var frames = (FrameBatch)payload!;
                FrameConnection? source = _current;
                while (_current is not null && frames.TryNext(out ReadOnlySpan<byte> frame)) _handler.OnMembershipFrame(frame, now);
                Finish(source, frames);
                break;
            default:
                bool wasOpen = _current is not null;
                _current = null;
                if (wasOpen) _handler.OnMembershipDisconnected(now);
                break;
        }
    }

    private static void Finish(FrameConnection? connection, FrameBatch frames)
    {
        frames.Return();
        connection?.OnHandled();
    }

    private async Task RunAsync()
    {
        int failures = 0;
        string said = ""; // what was told last: the same failure again is no news
        while (!_stop.IsCancellationRequested)
        {
            (Socket? socket, string failure) = await TryConnectAsync().ConfigureAwait(false);
            if (socket is null)
            {
                if (failure != said && !_stop.IsCancellationRequested) _events.OnUnreachable(failure);
                said = failure;
                failures++;
            }
            else
            {
                said = "";
                long start = Stopwatch.GetTimestamp();
                await CarryAsync(socket).ConfigureAwait(false);
                failures = Stopwatch.GetElapsedTime(start) > SteadyTime ? 0 : failures + 1;
            }
            await PauseAsync(failures).ConfigureAwait(false);
        }
    }

    // Whatever an attempt meets, even what no connector should let out: the next may succeed, and a link that has given up never comes back.
    private async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync()
    {
        try
        {
            return await _connector.TryConnectAsync(_events, _stop.Token).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            return (null, failure.Message);
        }
    }

    private async Task CarryAsync(Socket socket)
    {
        FrameConnection connection;
        try
        {
            connection = new FrameConnection(socket, this, _limits);
        }
        catch (SocketException)
        {
            socket.Dispose();
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
        try
        {
            await Task.Delay(away + (longest * Random.Shared.NextDouble()), _stop.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }
}
