using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>
/// The one thread that owns all protocol state of a node: it turns a <see cref="LoopTurn"/> while there is work and sleeps in the completion queue
/// when there is none. It takes no lock and runs nothing of the thread pool.
/// <para>
/// Going to sleep, so that no request is missed: declare it (<see cref="WakeGate"/>), look at the requests once more, wait until the first alarm is
/// due. Being woken too often is harmless, the next turn finds nothing. While calls or a stream come in it first looks again (<see cref="SleepDelay"/>).
/// Where it is to spin instead it gives its processor away between two looks: on a machine with fewer processors than threads, what it waits for would
/// otherwise wait for it.
/// </para>
/// <para>
/// An exception that nothing else caught ends the thread in an orderly way: it is reported once, accepted requests are run to their (failing) ends,
/// new ones are refused.
/// </para>
/// Source: first paper, section 3 (one core thread); the wake protocol is the usual one of event loops with an eventfd.
/// </summary>
internal sealed class CoreThread
{
    private readonly LoopTurn _loop;
    private readonly RequestQueue _requests;
    private readonly IWaitableCompletionQueue _completions;
    private readonly WakeGate _gate;
    private readonly IClock _clock;
    private readonly CoreThreadOptions _options;
    private readonly ICoreObserver _observer;
    private readonly Thread _thread;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SleepDelay _sleepDelay;
    private Instant _idleSince = Instant.Never;
    private bool _isStopping;
    private long _sleeps;

    /// <summary>Makes a thread that has not started.</summary>
    /// <param name="loop">What it turns; must be made over the same request and completion queues.</param>
    /// <param name="requests">Closed when the thread ends.</param>
    /// <param name="completions">Where the thread sleeps.</param>
    /// <param name="gate">The request queue's.</param>
    /// <param name="clock">The loop's.</param>
    /// <param name="options">How it runs.</param>
    /// <param name="observer">Hears of turns, stop and fault.</param>
    public CoreThread(
        LoopTurn loop,
        RequestQueue requests,
        IWaitableCompletionQueue completions,
        WakeGate gate,
        IClock clock,
        CoreThreadOptions options,
        ICoreObserver observer)
    {
        _loop = loop;
        _requests = requests;
        _completions = completions;
        _gate = gate;
        _clock = clock;
        _options = options;
        _observer = observer;
        _sleepDelay = new SleepDelay(completions, clock);
        _thread = new Thread(Run) { IsBackground = true, Name = options.Name };
    }

    /// <summary>Ends when the thread has ended, for whatever reason; never faults.</summary>
    public Task Ended => _ended.Task;

    /// <summary>True on the core thread itself.</summary>
    public bool IsCurrent => Thread.CurrentThread == _thread;

    /// <summary>How often the thread went to sleep. Any thread.</summary>
    public long Sleeps => Volatile.Read(ref _sleeps);

    /// <summary>Starts the thread, without what flows with the caller (its activity, culture, logging scopes): it outlives the call. Once.</summary>
    public void Start() => _thread.UnsafeStart();

    /// <summary>
    /// Asks the thread to run the requests it has, call <see cref="ICoreObserver.OnStopping"/> and end. Any thread, more than once;
    /// <see cref="Ended"/> tells when.
    /// </summary>
    public void RequestStop()
    {
        Volatile.Write(ref _isStopping, true);
        _gate.WakeIfAsleep();
    }

    private void Run()
    {
        try
        {
            LinuxThread.Prepare(_options.Affinity);
            Turn();
            _requests.Close();
            _requests.RunRest(_clock.Now);
            _observer.OnStopping(_clock.Now);
        }
        catch (Exception fault)
        {
            Fail(fault);
        }
        finally
        {
            _ended.TrySetResult();
        }
    }

    private void Turn()
    {
        while (!Volatile.Read(ref _isStopping))
        {
            bool wasBusy = _loop.Run();
            Instant now = _clock.Now;
            _observer.OnTurnEnded(now, wasBusy);
            if (_loop.HasWork || _completions.HasReady) _idleSince = Instant.Never;
            else if (_options.Spin > TimeSpan.Zero && KeepsSpinning(now)) Thread.Yield();
            else if (!(wasBusy && _sleepDelay.LooksAgain(_loop.Statistics.Requests)) && !_sleepDelay.TryYield(now)) Sleep(now);
        }
    }

    private bool KeepsSpinning(Instant now)
    {
        if (_idleSince == Instant.Never) _idleSince = now;
        return now - _idleSince < _options.Spin;
    }

    private void Sleep(Instant now)
    {
        Instant due = _loop.NextDue;
        if (due <= now) return;
        _gate.DeclareAsleep();
        if (!_requests.HasRequests && !_completions.HasReady && !Volatile.Read(ref _isStopping))
        {
            _completions.Wait(due == Instant.Never ? Timeout.InfiniteTimeSpan : due - now);
            Volatile.Write(ref _sleeps, _sleeps + 1);
        }
        _gate.DeclareAwake();
    }

    // The observer may itself be what is broken: whatever it throws here has nowhere left to go, and the first fault has the cause.
    private void Fail(Exception fault)
    {
        // Told before the queue closes: whoever is refused there finds the reason.
        TryRun(static core => core.Thread._observer.OnFault(core.Fault, core.Thread._clock.Now), (Thread: this, Fault: fault));
        _requests.Close();
        while (!_requests.IsDrained) TryRun(static core => core._requests.RunRest(core._clock.Now), this);
    }

    private static void TryRun<TState>(Action<TState> action, TState state)
    {
        try
        {
            action(state);
        }
        catch (Exception)
        {
            return;
        }
    }
}
