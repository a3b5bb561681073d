using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Membership;

/// <summary>
/// Reports to a host's server up to which instant received frames have been read. Frames arrive through the thread
/// pool, which the application shares. An application that blocks all pool threads leaves heartbeats unread, while the
/// host's own thread is punctual and would find all nodes silent.
/// <para>
/// Idea: the monitor queues a work item in the same pool, which returns to the host's loop behind the frames. Frames
/// that were waiting when it was queued have been read when it returns.
/// </para>
/// Cost: one work item and one request four times a second, or eight in a failure timeout. Host loop only, except
/// <see cref="Execute"/>.
/// </summary>
internal sealed class ThreadPoolMonitor : IThreadPoolWorkItem, IRequestTarget
{
    private const int ChecksPerTimeout = 8;
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(10);

    private readonly RequestQueue _requests;
    private readonly HostedServer _server;
    private readonly Alarm _alarm;
    private readonly TimeSpan _pause;
    private Instant _queuedAt;

    /// <summary>Creates a monitor that has not started.</summary>
    /// <param name="requests">The request queue of the host.</param>
    /// <param name="alarms">The alarms of the host's loop.</param>
    /// <param name="server">Receives the reports.</param>
    /// <param name="failureTimeout">The time after which the server removes a silent node; infinite for never.</param>
    public ThreadPoolMonitor(RequestQueue requests, AlarmQueue alarms, HostedServer server, TimeSpan failureTimeout)
    {
        _requests = requests;
        _server = server;
        _alarm = new Alarm(alarms, Queue);
        TimeSpan pause = failureTimeout > TimeSpan.Zero ? failureTimeout / ChecksPerTimeout : LongestPause;
        _pause = TimeSpan.FromTicks(Math.Clamp(pause.Ticks, ShortestPause.Ticks, LongestPause.Ticks));
    }

    /// <summary>Starts the monitor. Call once, on the host's loop or before it runs.</summary>
    public void Start(Instant now)
    {
        _server.OnRead(now);
        Queue(now);
    }

    /// <inheritdoc/>
    public void Execute() => _requests.Enqueue(this);

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        _server.OnRead(_queuedAt);
        _alarm.Set(now + _pause);
    }

    private void Queue(Instant now)
    {
        _queuedAt = now;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
