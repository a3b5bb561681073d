using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// Decides which lane binds its next message, and when.
/// <para>
/// Idea: every entry into dissemination is bracketed by <see cref="Enter"/> and <see cref="Leave"/>. Inside, lanes
/// with messages are only put on a list. The outermost end processes the list, one message per lane and turn, so lanes
/// take turns. Lanes signalled by upcalls meanwhile (an inline handler that answers, a host that refills an
/// opened gate) join the list, so nothing is re-entered.
/// </para>
/// <para>
/// A lane that finds a region buffer full waits at that stream, in order of arrival. It costs nothing until the stream
/// has fallen to its low mark. Then the stream's waiters bind one message each, until it is full again; a newcomer with
/// more than one message lines up behind them.
/// </para>
/// <para>
/// Awkward case: no buffer ever stops a group without other members. A source that always has something, or a handler
/// that answers each message, would never end. So a quantum bounds one call; the remainder resumes from an alarm a
/// moment later. Cost: O(1) per message.
/// </para>
/// </summary>
internal sealed class BindingLoop
{
    private const int Quantum = 1024;
    private static readonly TimeSpan ResumeDelay = TimeSpan.FromMicroseconds(10);

    private readonly SendContext _context;
    private readonly RingQueue<SendLane> _ready = new();
    private readonly RingQueue<RegionBuffer> _drained = new();
    private readonly List<SendLane> _gates = [];
    private readonly Alarm _continue;
    private int _depth;
    private bool _waitersTurn;

    public BindingLoop(SendContext context)
    {
        _context = context;
        _continue = new Alarm(context.Alarms, OnContinue);
    }

    public void Enter() => _depth++;

    /// <summary>
    /// Ends what <see cref="Enter"/> began. The outermost end binds all messages that it can, and reports changed
    /// gates.
    /// </summary>
    public void Leave(Instant now)
    {
        System.Diagnostics.Debug.Assert(_depth > 0, "left more often than entered");
        if (_depth == 1 && !_context.IsClosed) Work(now);
        _depth--;
    }

    /// <summary>Enters a lane that has something to bind.</summary>
    public void Schedule(SendLane lane) => _ready.Enqueue(lane);

    /// <summary>Enters a buffer that has fallen to its low mark: its waiters may continue.</summary>
    public void Wake(RegionBuffer buffer)
    {
        if (buffer.Waiters.Count > 0) _drained.Enqueue(buffer);
    }

    /// <summary>Has the lane's gate checked when the outermost call ends, because it may have changed.</summary>
    public void MarkGate(SendLane lane) => _gates.Add(lane);

    public void Close() => _continue.Cancel();

    private void Work(Instant now)
    {
        int quantum = Quantum;
        do
        {
            while (quantum > 0 && BindNext(now)) quantum--;
            ReportGates(now);
        }
        while (quantum > 0 && (_ready.Count > 0 || _drained.Count > 0));
        if (_ready.Count > 0 || _drained.Count > 0) _continue.SetIfEarlier(now + ResumeDelay);
        _context.Counters.PendingMessages = _context.Limits.Messages;
        _context.Counters.PendingBytes = _context.Limits.Bytes;
    }

    // Ready lanes and waiters of drained streams take turns, so that an unlimited lane does not hold up the waiting
    // ones.
    private bool BindNext(Instant now)
    {
        _waitersTurn = !_waitersTurn;
        if (_waitersTurn && BindWaiter(now)) return true;
        if (_ready.Count == 0) return !_waitersTurn && BindWaiter(now);
        _ready.Dequeue().BindNext(wokenBy: null, now);
        return true;
    }

    private bool BindWaiter(Instant now)
    {
        while (_drained.Count > 0)
        {
            RegionBuffer buffer = _drained.First;
            if (!buffer.IsFull && buffer.Waiters.Count > 0)
            {
                buffer.Waiters.Dequeue().BindNext(buffer, now);
                return true;
            }
            _drained.Dequeue();
        }
        return false;
    }

    private void ReportGates(Instant now)
    {
        // By index: an upcall may mark more.
        for (int index = 0; index < _gates.Count; index++) _gates[index].ReportGate(now);
        _gates.Clear();
    }

    private void OnContinue(Instant now)
    {
        Enter();
        Leave(now);
    }
}
