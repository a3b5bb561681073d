using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>
/// The single thread that owns all protocol state of a node. It runs turns (<see cref="LoopTurn"/>) while there is
/// work, and sleeps in the completion queue otherwise. The locks that it takes, of inboxes, gates and the log,
/// are held for a few instructions or a copy. It runs no work of the thread pool.
/// <para>
/// Sleeping, without missing a request: the thread declares its sleep (<see cref="WakeGate"/>), checks the requests
/// once more, and waits until the first alarm is due. A spurious wake-up is harmless: the next turn finds nothing.
/// While requests or a stream arrive, the thread checks again before it sleeps (<see cref="SleepDelay"/>). A spinning
/// thread yields its processor between two checks: with fewer processors than threads, the sender that it waits for may
/// need that processor.
/// </para>
/// <para>
/// An uncaught exception ends the thread in an orderly way: it is reported once, accepted requests run and fail, and
/// new ones are refused.
/// </para>
/// Source: first paper, section 3 (one core thread); the wake protocol is the usual one of eventfd event loops.
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

    /// <summary>Creates a thread that has not started.</summary>
    /// <param name="loop">The loop to run; it uses the same request and completion queues.</param>
    /// <param name="requests">The queue of requests; closed when the thread ends.</param>
    /// <param name="completions">The completion queue, in which the thread sleeps.</param>
    /// <param name="gate">The wake gate of the request queue.</param>
    /// <param name="clock">The clock of the loop.</param>
    /// <param name="options">The thread's name, spinning time and processor.</param>
    /// <param name="observer">Receives turns, stop and fault.</param>
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

    /// <summary>Completes when the thread has ended, for any reason; never faults.</summary>
    public Task Ended => _ended.Task;

    /// <summary>True on the core thread itself.</summary>
    public bool IsCurrent => Thread.CurrentThread == _thread;

    /// <summary>True from the start of the thread until its end. Any thread.</summary>
    public bool IsRunning => _thread.IsAlive && !_ended.Task.IsCompleted;

    /// <summary>The number of times that the thread slept. Any thread.</summary>
    public long Sleeps => Volatile.Read(ref _sleeps);

    /// <summary>Starts the thread. Call once. The caller's execution context (activity, culture, logging scopes) does
    /// not flow, because the thread outlives the call.</summary>
    public void Start() => _thread.UnsafeStart();

    /// <summary>
    /// Asks the thread to run its accepted requests, call <see cref="ICoreObserver.OnStopping"/> and end. Any thread;
    /// may be called more than once. <see cref="Ended"/> completes afterwards.
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
            else if (!(wasBusy && _sleepDelay.ChecksAgain(_loop.Statistics.Requests)) && !_sleepDelay.TryYield(now))
                Sleep(now);
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

    // The observer itself may be broken. Its exceptions here are dropped: the first fault has the cause.
    private void Fail(Exception fault)
    {
        // Reported before the queue closes, so that a refused caller finds the reason.
        TryRun(
            static core => core.Thread._observer.OnFault(core.Fault, core.Thread._clock.Now),
            (Thread: this, Fault: fault));
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
