using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Membership;

/// <summary>
/// Tells a host's servers how far what nodes send has been read. It comes by way of the thread pool, which belongs to the application: one that
/// blocks all of its threads leaves heartbeats lying, while the host's own thread is punctual and would blame everybody for silence.
/// <para>
/// Idea: a work item of the watch stands in the same queue, and comes back to the host's loop behind the frames. What lay there when it was queued
/// has been read when it is back.
/// </para>
/// Cost: one work item and one request four times a second, or eight in a failure timeout. Host loop only but for <see cref="Execute"/>.
/// </summary>
internal sealed class ThreadPoolMonitor : IThreadPoolWorkItem, IRequestTarget
{
    private const int LooksInATimeout = 8;
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(10);

    private readonly RequestQueue _requests;
    private readonly HostedServers _servers;
    private readonly Alarm _alarm;
    private readonly TimeSpan _pause;
    private Instant _queuedAt;

    /// <summary>Makes a watch that has not begun.</summary>
    /// <param name="requests">The host's.</param>
    /// <param name="alarms">Of the host's loop.</param>
    /// <param name="servers">Are told.</param>
    /// <param name="failureTimeout">After how long the servers remove a silent node; infinite: never.</param>
    public ThreadPoolMonitor(RequestQueue requests, AlarmQueue alarms, HostedServers servers, TimeSpan failureTimeout)
    {
        _requests = requests;
        _servers = servers;
        _alarm = new Alarm(alarms, Queue);
        TimeSpan pause = failureTimeout > TimeSpan.Zero ? failureTimeout / LooksInATimeout : LongestPause;
        _pause = TimeSpan.FromTicks(Math.Clamp(pause.Ticks, ShortestPause.Ticks, LongestPause.Ticks));
    }

    /// <summary>Begins. Once; on the host's loop, or before it runs.</summary>
    public void Start(Instant now)
    {
        _servers.OnRead(now);
        Queue(now);
    }

    /// <inheritdoc/>
    public void Execute() => _requests.Enqueue(this);

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        _servers.OnRead(_queuedAt);
        _alarm.Set(now + _pause);
    }

    private void Queue(Instant now)
    {
        _queuedAt = now;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
