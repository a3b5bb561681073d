namespace QuickSilver.Diagnostics;

/// <summary>
/// Tells of user code that holds the core thread up: afterwards when it has come back late, and while it lasts when it does not come back at all.
/// <para>
/// Idea: small messages come in millions a second, and a clock read around each call would cost more than the call. So calls are timed in runs: the
/// first of a turn alone (with those that come with it in one go), those that follow it at the same group together, up to <see cref="LongestRun"/>,
/// and what is left when the turn ends or other code is called. A run that took too long is reported under the name of its group. A handler that
/// hangs would not be heard of that way: a timer looks from outside, once a second, while such code is being called.
/// </para>
/// <para>
/// Awkward cases: what the core does between the calls of a run is in its time; that is microseconds, where a stall is milliseconds. The timer stops
/// when nothing was called for a while, so that an idle node does not wake for it, and the core starts it again without a fence. A call that begins
/// at that very moment is seen by one more look, a second after the timer is marked as stopped.
/// </para>
/// Cost: a few writes a call, two readings of the coarse clock a turn and one for each full run, no allocation but for the timer.
/// </summary>
/// <param name="stall">A run that takes as long is reported.</param>
/// <param name="log">The node's.</param>
/// <param name="events">The node's.</param>
internal sealed class CallbackWatchdog(TimeSpan stall, NodeLog log, NodeEventQueue events) : IDisposable
{
    /// <summary>So many calls are timed together: who calls more often in one go leaves in between.</summary>
    public const int LongestRun = 16;

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

    // The core's own: calls since the clock was read, and after how many it is read again; 0 while there is no run.
    private int _untimed;
    private int _limit;

    // The timer's own.
    private long _seenCalls;
    private long _reported;
    private long _nextReport;
    private bool _isLastLook;
    private bool _isDisposed;

    /// <summary>Told of each run that took too long: the kind of code, how long, and its group. Set before the core starts.</summary>
    public Action<LoopPhase, TimeSpan, string>? Stalled { get; set; }

    /// <summary>What the core is in, for people: the kind of code and its group. Any thread.</summary>
    public string Present => Volatile.Read(ref _isInside) ? $"{_phase} of '{Volatile.Read(ref _groupName)}'" : "no handler or feed";

    /// <summary>User code is about to be called; <see cref="Leave"/> must follow. Core thread only.</summary>
    public void Enter(LoopPhase phase, string groupName)
    {
        if (_limit == 0 || phase != _phase || !ReferenceEquals(groupName, _groupName)) BeginRun(phase, groupName);
        _calls++;
        Volatile.Write(ref _isInside, true);
    }

    /// <summary>It has come back. Core thread only.</summary>
    /// <param name="calls">How often it was called since <see cref="Enter"/>.</param>
    public void Leave(int calls = 1)
    {
        Volatile.Write(ref _isInside, false);
        _untimed += Math.Max(1, calls);
        if (_untimed < _limit) return;
        TimeRun();
        _limit = LongestRun;
    }

    /// <summary>Ends the run: the turn has ended, or whoever was slow is to be named now. Core thread only.</summary>
    public void EndRun()
    {
        if (_untimed > 0) TimeRun();
        _limit = 0;
    }

    /// <summary>Stops looking. Any thread.</summary>
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
            _timer ??= new Timer(static state => ((CallbackWatchdog)state!).Look(), this, Timeout.Infinite, Timeout.Infinite);
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
        log.Post(
            (log.Node, duration, phase, groupName), static (logger, s) => Log.Hanging(logger, s.Node, s.duration, s.phase, s.groupName));
        events.Post(new CoreStalled(phase, duration, groupName));
    }
}
