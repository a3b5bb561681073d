using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// Decides which group binds its next message, and when.
/// <para>
/// Idea: every entry into dissemination is bracketed by <see cref="Enter"/> and <see cref="Leave"/>. Inside, groups
/// that have something are only put on a list; at the outermost end the list is worked off, one message per group and
/// turn, so groups take turns. What upcalls signal while that happens (an inline handler that answers, a host that
/// refills an opened gate) joins the list, so nothing is re-entered.
/// </para>
/// <para>
/// A group that finds a region buffer full waits at that stream, in order of arrival, and costs nothing until the stream has fallen to its low mark.
/// Then the stream's waiters go, one message each, until it is full again; a newcomer with more than one message lines up behind them.
/// </para>
/// <para>
/// Awkward case: a group without other members is never stopped by a buffer, so a source that always has something, or a handler that answers each
/// message, would never end. A quantum bounds one call; what is left goes on from an alarm a moment later. Cost: O(1) per message.
/// </para>
/// </summary>
internal sealed class BindingLoop
{
    private const int Quantum = 1024;
    private static readonly TimeSpan Breath = TimeSpan.FromMicroseconds(10);

    private readonly SendContext _context;
    private readonly RingQueue<GroupSender> _ready = new();
    private readonly RingQueue<StreamSender> _drained = new();
    private readonly List<GroupSender> _gates = [];
    private readonly Alarm _continue;
    private int _depth;
    private bool _waitersTurn;

    public BindingLoop(SendContext context)
    {
        _context = context;
        _continue = new Alarm(context.Alarms, OnContinue);
    }

    public void Enter() => _depth++;

    /// <summary>Ends what <see cref="Enter"/> began; the outermost end binds what can be bound and tells what has changed.</summary>
    public void Leave(Instant now)
    {
        System.Diagnostics.Debug.Assert(_depth > 0, "left more often than entered");
        if (_depth == 1 && !_context.IsClosed) Work(now);
        _depth--;
    }

    /// <summary>The group has something to bind.</summary>
    public void Schedule(GroupSender group) => _ready.Enqueue(group);

    /// <summary>The stream has fallen to its low mark: its waiters may go on.</summary>
    public void Wake(StreamSender stream)
    {
        if (stream.Backlog.Waiters.Count > 0) _drained.Enqueue(stream);
    }

    /// <summary>Whether the group is open may have changed: it is looked at when the outermost call ends.</summary>
    public void MarkGate(GroupSender group) => _gates.Add(group);

    public void Close() => _continue.Cancel();

    private void Work(Instant now)
    {
        int quantum = Quantum;
        do
        {
            while (quantum > 0 && BindNext(now)) quantum--;
            TellGates(now);
        }
        while (quantum > 0 && (_ready.Count > 0 || _drained.Count > 0));
        if (_ready.Count > 0 || _drained.Count > 0) _continue.SetIfEarlier(now + Breath);
        _context.Counters.PendingMessages = _context.Limits.Messages;
        _context.Counters.PendingBytes = _context.Limits.Bytes;
    }

    // Ready groups and waiters of drained streams take turns, so that a group which is never stopped does not hold up those that were.
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
            StreamSender stream = _drained.First;
            if (!stream.Backlog.IsFull && stream.Backlog.Waiters.Count > 0)
            {
                stream.Backlog.Waiters.Dequeue().BindNext(stream, now);
                return true;
            }
            _drained.Dequeue();
        }
        return false;
    }

    private void TellGates(Instant now)
    {
        // By index: an upcall may mark more.
        for (int index = 0; index < _gates.Count; index++) _gates[index].TellGate(now);
        _gates.Clear();
    }

    private void OnContinue(Instant now)
    {
        Enter();
        Leave(now);
    }
}
