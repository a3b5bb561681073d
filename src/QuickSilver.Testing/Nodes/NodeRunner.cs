using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Nodes;

/// <summary>
/// The core thread of one simulated node: it turns the very loop that runs on real threads, when there is something to
/// turn it for. A turn happens at one instant and then keeps the node busy for what it cost; the next one comes when
/// that time is over, if there is work, or else with the next datagram, frame, request or alarm.
/// </summary>
internal sealed class NodeRunner : IEventTarget, IRequestQueue
{
    private const int MostIdleTurns = 10_000;

    private readonly RunContext _run;
    private readonly EventQueue _events;
    private readonly SimulatedNode _node;
    private readonly SimulatedTransport _transport;
    private readonly AlarmQueue _alarms;
    private readonly OffsetClock _clock;
    private readonly Queue<Action<Instant>> _requests = new();
    private readonly Stack<Instant> _pending = new();
    private readonly LoopTurn _loop;
    private readonly WorkMeter _meter;
    private readonly bool _pauses;
    private ulong _alarmsBefore;
    private Instant _nextTurn = Instant.Never;
    private Instant _busyUntil;
    private Instant _frozenUntil;
    private int _idleTurns;
    private bool _isEnded;

    /// <summary>Makes a loop that waits.</summary>
    public NodeRunner(
        RunContext run, EventQueue events, SimulatedNode node, SimulatedTransport transport, AlarmQueue alarms,
        OffsetClock clock,
        WorkMeter meter, Protocol.Stack.NodeStack stack)
    {
        _run = run;
        _events = events;
        _node = node;
        _transport = transport;
        _alarms = alarms;
        _clock = clock;
        _meter = meter;
        _pauses = run.Options.Memory.IsActive;
        _loop = new LoopTurn(
            new LoopParts(clock, this, transport, new ForgeryChecks(run, node.Index, stack), alarms, stack),
            run.Options.Loop);
    }

    /// <summary>What the loop has done.</summary>
    public LoopStatistics Statistics => _loop.Statistics;

    /// <summary>Runs a request in the next turn.</summary>
    public void Post(Action<Instant> request)
    {
        if (_isEnded) return;
        _requests.Enqueue(request);
        WakeAt(_run.Now);
    }

    /// <summary>Makes sure that a turn happens no later than this, if the node is not busy or frozen then.</summary>
    public void WakeAt(Instant due)
    {
        if (_isEnded || due == Instant.Never) return;
        if (due < _busyUntil) due = _busyUntil;
        if (due < _frozenUntil) due = _frozenUntil;
        if (due >= _nextTurn) return;
        _nextTurn = due;
        EnsureEvent();
    }

    /// <summary>Stops the node for a while; its sockets go on filling.</summary>
    /// <returns>How much longer it stands still by this than it would have.</returns>
    public TimeSpan FreezeUntil(Instant until)
    {
        Instant before = _frozenUntil > _run.Now ? _frozenUntil : _run.Now;
        if (until <= before) return TimeSpan.Zero;
        _frozenUntil = until;
        _nextTurn = until;
        EnsureEvent();
        return until - before;
    }

    /// <summary>Turns no more.</summary>
    public void End()
    {
        _isEnded = true;
        _requests.Clear();
    }

    /// <inheritdoc/>
    public int RunAll(Instant now)
    {
        int count = _requests.Count;
        for (int left = count; left > 0 && _requests.TryDequeue(out Action<Instant>? request); left--) request(now);
        return count;
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        _pending.Pop();
        if (_isEnded) return;
        if (now < _nextTurn)
        {
            // Its turn was put off by a freeze, or has happened already.
            EnsureEvent();
            return;
        }
        if (now < _busyUntil)
        {
            // Asked for in the middle of the turn that still keeps the node busy.
            _nextTurn = _busyUntil;
            EnsureEvent();
            return;
        }
        _nextTurn = Instant.Never;
        bool busy = Turn();
        if (_isEnded) return;
        _node.AfterTurn();
        EndTurn(now);
        WakeForMore(busy, now);
    }

    // An event in the queue cannot be moved, so a turn that comes earlier gets another one; the later ones stay, and
    // serve the turns that come then.
    private void EnsureEvent()
    {
        if (_nextTurn == Instant.Never || (_pending.TryPeek(out Instant first) && first <= _nextTurn)) return;
        _pending.Push(_nextTurn);
        _events.Schedule(_nextTurn, this);
    }

    private bool Turn()
    {
        _transport.ResetBusy();
        try
        {
            return _loop.Run();
        }
        catch (Exception exception) when (exception is not InvariantViolationException)
        {
            throw _run.Violation(
                "E1", $"{exception.GetType().Name} left the core of node {_node.Index}: {exception.Message}",
                exception);
        }
    }

    private void EndTurn(Instant now)
    {
        ulong alarms = _loop.Statistics.Alarms;
        _busyUntil = now + _meter.EndTurn(_transport.TakeBytesMoved(), alarms - _alarmsBefore);
        _alarmsBefore = alarms;
        if (!_pauses) return;
        long pending = _node.Stack.Rooms.DisseminationCounters.PendingBytes;
        _busyUntil += _meter.PauseAfter(_busyUntil, _node.Counters.CachedBytes + pending);
    }

    private void WakeForMore(bool busy, Instant now)
    {
        if (_requests.Count > 0) WakeAt(_busyUntil);
        WakeAt(_transport.NextReadable());
        WakeAt(_clock.ToGlobal(_alarms.NextDue));
        if (_transport.BusyUntil != Instant.Never) WakeAt(_transport.BusyUntil);
        else if (_loop.HasWork) WakeAt(_busyUntil);
        _idleTurns = busy || !_loop.HasWork ? 0 : _idleTurns + 1;
        if (_idleTurns > MostIdleTurns)
        {
            throw _run.Violation(
                "E1",
                $"node {_node.Index} says that it has work, and did nothing in {MostIdleTurns} turns, the last at "
                    + $"{now}");
        }
    }
}
