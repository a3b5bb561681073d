using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// One turn of the loop, repeated: the core thread runs it, and the simulator does for each of its nodes.
/// <para>
/// Rule, in this order: all requests present at the start; every completion that is ready, sorted by class (token, ACK
/// before NAK, pull before repairs before data), up to a quantum; alarms that are due, up to a quantum; then the roots
/// ask their trees for datagrams to send. I/O comes before alarms because packets cancel timers. It has a quantum
/// because giving I/O absolute priority starves the alarms that clean up (the papers tried). Sending comes last so that
/// it reflects the state after everything received.
/// </para>
/// <para>
/// Control is sent earlier too: once all urgent reads have been handled, and data is next, the roots are asked for
/// control. A token that waited for a quantum of data at each of its hops made rounds, and with them all feedback, ten
/// times as long under load.
/// </para>
/// <para>
/// Nor is the order of classes absolute. After a turn whose I/O was cut before it came to a repair or data, the next
/// begins with up to eight of each. Without that, members that had all lost the same packets spent all their time on
/// each other's requests and never read the answers.
/// </para>
/// <para>
/// A time warp is a delay of the thread longer than <see cref="WarpLimit"/>, between turns or inside the I/O
/// phase. After it I/O is handled once more before alarms: timers have run out meanwhile whose cancelling packets lie
/// in the kernel's buffers. Waiting on purpose, at most until the first alarm is due, is no warp.
/// </para>
/// <para>
/// The clock is read at the turn's start, after I/O and pulling, and after requests and alarms if there were any.
/// Within a phase it is read after every sixteen completions or alarms, so a quantum can be overrun by sixteen items. A
/// turn fires at most as many alarms as were set when it began. So alarms that set themselves for now cannot hold a
/// turn on a clock that stands still. Allocates nothing in steady state. Core thread only. An exception out of a
/// handler, an alarm or a root is a defect and leaves <see cref="Run"/>. Source: first paper, section 3; second paper,
/// section 4 and Figure 8.
/// </para>
/// </summary>
internal sealed class LoopTurn
{
    /// <summary>Limit on the reads held at once, each of up to 64 KiB; the kernel's buffers keep the rest.</summary>
    public const int HeldReads = 512;

    /// <summary>
    /// A pause longer than this (garbage collection, preemption) makes alarms suspect: I/O is handled once more before
    /// they fire.
    /// </summary>
    public static readonly TimeSpan WarpLimit = TimeSpan.FromMilliseconds(50);

    private const int ItemsPerClockRead = 16;
    private const int LeftOverItems = 8;

    private readonly LoopParts _parts;
    private readonly LoopQuanta _quanta;
    private readonly IStallObserver? _stalls;
    private readonly CompletionBacklog _backlog = new();
    private readonly List<Completion> _taken = [];
    private Instant _takenAt;
    private ulong _takes;
    private Instant _expectedBy = Instant.Never;
    private int _sentEarly;
    private bool _starves;

    /// <summary>Makes a loop that has not turned yet.</summary>
    /// <param name="parts">The parts that it drives.</param>
    /// <param name="quanta">Limits of a turn; null: the defaults.</param>
    /// <param name="stalls">Notified of phases that take too long; null: no observer.</param>
    public LoopTurn(LoopParts parts, LoopQuanta? quanta = null, IStallObserver? stalls = null)
    {
        ArgumentNullException.ThrowIfNull(parts);
        _parts = parts;
        _quanta = quanta ?? new LoopQuanta();
        _stalls = stalls;
    }

    /// <summary>Counters of the work done so far.</summary>
    public LoopStatistics Statistics { get; } = new();

    /// <summary>
    /// When the first alarm is due: the host may wait until then, if <see cref="HasWork"/> is false and nothing wakes
    /// it.
    /// </summary>
    public Instant NextDue => _parts.Alarms.NextDue;

    /// <summary>True when the next turn has work already, so that the host must not wait.</summary>
    public bool HasWork => _backlog.Count > 0 || _parts.Roots.HasWork;

    /// <summary>Runs one turn.</summary>
    /// <returns>True when any work was done; when false, and <see cref="HasWork"/> is false too, the host may
    /// wait.</returns>
    public bool Run()
    {
        Instant start = _parts.Clock.Now;
        bool held = start - _expectedBy > WarpLimit;

        int requests = _parts.Requests.RunAll(start);
        Instant now = requests > 0 ? End(TurnPhase.Requests, start) : start;

        Instant ioStart = now;
        int completions = HandleIo(ref now);
        if (held || now - _takenAt > WarpLimit)
        {
            Statistics.Warps++;
            completions += HandleIo(ref now);
        }
        Note(TurnPhase.Io, ioStart, now);

        int alarms = FireAlarms(now);
        if (alarms > 0) now = End(TurnPhase.Alarms, now);

        int datagrams = _parts.Roots.PullAll(now) + _sentEarly;
        _sentEarly = 0;
        now = End(TurnPhase.Pull, now);

        bool busy = requests + completions + alarms + datagrams > 0;
        Statistics.Turns++;
        if (busy) Statistics.BusyTurns++;
        Statistics.Requests += (ulong)requests;
        Statistics.Alarms += (ulong)alarms;
        Statistics.Datagrams += (ulong)datagrams;
        if (now - start > Statistics.LongestTurn) Statistics.LongestTurn = now - start;
        if (now - start > Statistics.LongestLately) Statistics.LongestLately = now - start;

        _expectedBy = busy || HasWork || NextDue < now ? now : NextDue;
        return busy;
    }

    private int HandleIo(ref Instant now)
    {
        _takenAt = now;
        int room = HeldReads - _backlog.Count;
        if (room > 0 && _parts.Completions.Take(_taken, room) > 0)
        {
            _takes++;
            Span<Completion> taken = System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_taken);
            foreach (ref readonly Completion completion in taken) _backlog.Add(completion with { Take = _takes });
            _taken.Clear();
        }

        int handled = 0;
        if (_starves) handled = HandleLeftOver(PriorityClass.Repair, now) + HandleLeftOver(PriorityClass.Data, now);
        _starves = false;
        bool anyBulk = handled > 0;
        bool urgent = !_backlog.OnlyLastClassIsLeft;
        while (_backlog.TryNext(out Completion next))
        {
            anyBulk |= next.Priority >= PriorityClass.Repair;
            _parts.Handler.Handle(ref next, now);
            _parts.Completions.Recycle(next);
            if (urgent && _backlog.OnlyLastClassIsLeft)
            {
                urgent = false;
                if (_backlog.Count > 0) _sentEarly += _parts.Roots.PullControl(now);
            }
            if (++handled % ItemsPerClockRead != 0) continue;
            now = _parts.Clock.Now;
            if (now - _takenAt < _quanta.IoQuantum) continue;
            _starves = !anyBulk;
            break;
        }
        now = _parts.Clock.Now;
        return handled;
    }

    private int HandleLeftOver(PriorityClass priority, Instant now)
    {
        int handled = 0;
        for (; handled < LeftOverItems && _backlog.TryNextOf(priority, out Completion next); handled++)
        {
            _parts.Handler.Handle(ref next, now);
            _parts.Completions.Recycle(next);
        }
        return handled;
    }

    private int FireAlarms(Instant start)
    {
        AlarmQueue alarms = _parts.Alarms;
        if (alarms.NextDue > start) return 0;
        TimeSpan delay = start - alarms.NextDue;
        if (delay > Statistics.WorstAlarmDelay) Statistics.WorstAlarmDelay = delay;

        Instant now = start;
        int limit = alarms.Count;
        int fired = 0;
        while (fired < limit && alarms.FireNext(now))
        {
            if (++fired % ItemsPerClockRead != 0) continue;
            now = _parts.Clock.Now;
            if (now - start >= _quanta.AlarmQuantum) break;
        }
        return fired;
    }

    private Instant End(TurnPhase phase, Instant start)
    {
        Instant now = _parts.Clock.Now;
        Note(phase, start, now);
        return now;
    }

    private void Note(TurnPhase phase, Instant start, Instant end)
    {
        TimeSpan took = end - start;
        Statistics.AddTime(phase, took);
        if (took <= _quanta.StallWarning) return;
        Statistics.Stalls++;
        _stalls?.OnStall(phase, took, end);
    }
}
