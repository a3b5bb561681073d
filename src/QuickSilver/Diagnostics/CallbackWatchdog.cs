namespace QuickSilver.Diagnostics;

/// <summary>
/// Reports user code that blocks the core thread: after the call if it returns late, and during the call if it hangs.
/// <para>
/// Idea: small messages arrive in millions a second, and reading the clock around each call would cost more than the
/// call. So consecutive calls are timed together, as one run. The first call of a turn is a run by itself (with those
/// made in one go with it). Later calls for the same group form runs of up to <see cref="MaxTimedCalls"/>. The turn's
/// end, or a call of other code, ends a run. A run that takes too long is reported under the name of its group. A
/// handler that hangs never ends its run: for that case a timer checks once a second while user code is being called.
/// </para>
/// <para>
/// Awkward cases: the time of a run includes the core's own work between calls; that is microseconds, where a stall is
/// milliseconds. The timer stops after a while without calls, so that an idle node does not wake for it. The core
/// restarts it without a fence. A call that begins at that very moment is found by one more check, a second after the
/// timer is marked as stopped.
/// </para>
/// Cost: a few writes per call, two reads of the coarse clock per turn and one per full run; allocates only the timer.
/// </summary>
/// <param name="stall">Duration from which a run is reported.</param>
/// <param name="log">The node's log.</param>
/// <param name="events">The node's events.</param>
internal sealed class CallbackWatchdog(TimeSpan stall, NodeLog log, NodeEventQueue events) : IDisposable
{
    /// <summary>Limit on the calls that are timed together. Code that makes more calls in one go leaves and enters
    /// again in between.</summary>
    public const int MaxTimedCalls = 16;

    private const int Period = 1_000;

    private readonly Lock _lock = new();
    private readonly long _stallMilliseconds = Math.Max(1, (long)stall.TotalMilliseconds);
    private Timer? _timer;
    private string _groupName = "";
    private LoopPhase _phase;
    private long _since;
    private long _calls;
    private bool _isInside;
    private bool _isRunning;

    // Core thread only: calls since the last read of the clock, and the number after which it is read again; 0 outside
    // a run.
    private int _untimed;
    private int _limit;

    // Timer only.
    private long _seenCalls;
    private long _reported;
    private long _nextReport;
    private bool _isLastLook;
    private bool _isDisposed;

    /// <summary>Called for each run that took too long, with the kind of code, the duration and the group. Set before
    /// the core starts.</summary>
    public Action<LoopPhase, TimeSpan, string>? Stalled { get; set; }

    /// <summary>Total time of the runs whose calls took a millisecond and more each. Core thread only.</summary>
    public TimeSpan SlowTime { get; private set; }

    /// <summary>Describes the user code that the core thread is in, for diagnostics: its kind and group. Any
    /// thread.</summary>
    public string Present =>
        Volatile.Read(ref _isInside) ? $"{_phase} of '{Volatile.Read(ref _groupName)}'" : "no handler or feed";

    /// <summary>Whether the core thread is in the same call of user code as at the last look. Any thread.</summary>
    /// <param name="seen">The last look; 0 before the first. Takes this one.</param>
    public bool IsHeldSince(ref long seen)
    {
        if (!Volatile.Read(ref _isInside))
        {
            seen = 0;
            return false;
        }
        long calls = Volatile.Read(ref _calls);
        bool isSame = calls == seen;
        seen = calls;
        return isSame;
    }

    /// <summary>Marks the start of a call of user code; <see cref="Leave"/> must follow. Core thread only.</summary>
    public void Enter(LoopPhase phase, string groupName)
    {
        if (_limit == 0 || phase != _phase || !ReferenceEquals(groupName, _groupName)) BeginRun(phase, groupName);
        _calls++;
        Volatile.Write(ref _isInside, true);
    }

    /// <summary>Marks the end of a call. Core thread only.</summary>
    /// <param name="calls">Number of calls since <see cref="Enter"/>.</param>
    public void Leave(int calls = 1)
    {
        Volatile.Write(ref _isInside, false);
        _untimed += Math.Max(1, calls);
        if (_untimed < _limit) return;
        TimeRun();
        _limit = MaxTimedCalls;
    }

    /// <summary>Ends the run: at the end of a turn, or to report slow code at once. Core thread only.</summary>
    public void EndRun()
    {
        if (_untimed > 0) TimeRun();
        _limit = 0;
    }

    /// <summary>Stops the timer. Any thread.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }
    }

    private void BeginRun(LoopPhase phase, string groupName)
    {
        if (_untimed > 0) TimeRun();
        else Volatile.Write(ref _since, Environment.TickCount64);
        _phase = phase;
        Volatile.Write(ref _groupName, groupName);
        _limit = 1;
        if (!Volatile.Read(ref _isRunning)) Start();
    }

    private void TimeRun()
    {
        long now = Environment.TickCount64;
        long took = now - _since;
        Volatile.Write(ref _since, now);
        if (took >= _untimed) SlowTime += TimeSpan.FromMilliseconds(took);
        _untimed = 0;
        if (took >= _stallMilliseconds) Stalled?.Invoke(_phase, TimeSpan.FromMilliseconds(took), _groupName);
    }

    private void Start()
    {
        lock (_lock)
        {
            Volatile.Write(ref _isRunning, true);
            _isLastLook = false;
            if (_isDisposed) return;
            _timer ??= new Timer(
                static state => ((CallbackWatchdog)state!).Look(), this, Timeout.Infinite, Timeout.Infinite);
            _timer.Change(Period, Period);
        }
    }

    private void Look()
    {
        lock (_lock)
        {
            if (_isDisposed) return;
            bool isInside = Volatile.Read(ref _isInside);
            if (isInside) Report(Volatile.Read(ref _since));
            long calls = Volatile.Read(ref _calls);
            bool isIdle = !isInside && calls == _seenCalls;
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

    // Reports after one second, then each time the duration has doubled.
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
        log.Post(
            (log.Node, duration, phase, groupName),
            static (logger, s) => Log.Hanging(logger, s.Node, s.duration, s.phase, s.groupName));
        events.Post(new CoreStalled(phase, duration, groupName));
    }
}
