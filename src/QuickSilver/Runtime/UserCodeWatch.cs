using QuickSilver.Diagnostics;

namespace QuickSilver.Runtime;

/// <summary>
/// Tells of user code on the core thread that does not come back. The core times each call itself, but can say so only afterwards: a handler that
/// hangs would never be heard of. So the core notes where it is, and a timer looks from outside, once a second, while such code is being called.
/// <para>
/// Awkward case: the timer stops when nothing was called for a while, so that an idle node does not wake for it, and the core starts it again without
/// a fence. A call that begins at that very moment is seen by one more look, a second after the timer is marked as stopped.
/// </para>
/// Cost: three writes a call, no allocation but for the timer.
/// </summary>
/// <param name="log">The node's.</param>
/// <param name="events">The node's.</param>
internal sealed class UserCodeWatch(NodeLog log, NodeEventQueue events) : IDisposable
{
    private const int Period = 1_000;

    private readonly Lock _lock = new();
    private Timer? _timer;
    private string _groupName = "";
    private LoopPhase _phase;
    private long _since;
    private long _calls;
    private bool _isRunning;

    // The timer's own.
    private long _seenCalls;
    private long _reported;
    private long _nextReport;
    private bool _isLastLook;
    private bool _isDisposed;

    /// <summary>What the core is in, for people: the kind of code and its group. Any thread.</summary>
    public string Present => Volatile.Read(ref _since) == 0 ? "no handler or feed" : $"{_phase} of '{Volatile.Read(ref _groupName)}'";

    /// <summary>User code is about to be called. Core thread only.</summary>
    /// <returns>The coarse clock's present value in milliseconds, for <see cref="Leave"/>'s caller to time the call by.</returns>
    public long Enter(LoopPhase phase, string groupName)
    {
        long now = Environment.TickCount64;
        _phase = phase;
        _groupName = groupName;
        _calls++;
        Volatile.Write(ref _since, now);
        if (!Volatile.Read(ref _isRunning)) Start();
        return now;
    }

    /// <summary>It has come back. Core thread only.</summary>
    public void Leave() => Volatile.Write(ref _since, 0);

    /// <summary>Stops looking. Any thread.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }
    }

    private void Start()
    {
        lock (_lock)
        {
            Volatile.Write(ref _isRunning, true);
            _isLastLook = false;
            if (_isDisposed) return;
            _timer ??= new Timer(static state => ((UserCodeWatch)state!).Look(), this, Timeout.Infinite, Timeout.Infinite);
            _timer.Change(Period, Period);
        }
    }

    private void Look()
    {
        lock (_lock)
        {
            if (_isDisposed) return;
            long since = Volatile.Read(ref _since);
            if (since != 0) Report(since);
            long calls = Volatile.Read(ref _calls);
            bool isIdle = since == 0 && calls == _seenCalls;
            _seenCalls = calls;
            if (!isIdle)
            {
                _isLastLook = false;
                Volatile.Write(ref _isRunning, true);
            }
            else if (_isLastLook)
            {
                _timer!.Change(Timeout.Infinite, Timeout.Infinite);
            }
            else
            {
                _isLastLook = true;
                Volatile.Write(ref _isRunning, false);
            }
        }
    }

    // After one second, then each time it has doubled.
    private void Report(long since)
    {
        long took = Environment.TickCount64 - since;
        if (since != _reported)
        {
            _reported = since;
            _nextReport = Period;
        }
        if (took < _nextReport) return;
        _nextReport = took * 2;
        LoopPhase phase = _phase;
        string groupName = Volatile.Read(ref _groupName);
        TimeSpan duration = TimeSpan.FromMilliseconds(took);
        log.Post((duration, phase, groupName), static (logger, s) => Log.Hanging(logger, s.duration, s.phase, s.groupName));
        events.Post(new StallEvent(phase, duration, groupName));
    }
}
