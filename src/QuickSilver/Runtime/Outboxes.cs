using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// The outboxes of a node, and which group sends through which.
/// <para>
/// Idea: all groups begin in one outbox, the home, but for ordered ones, which have one of their own and stay there. So
/// a node whose groups go to the same regions has no other, however many groups there are. A group whose messages turn
/// out to go another way is moved, before its first message there is taken: to the outbox that goes that way, or to one
/// of its own. An outbox that its last group leaves is dropped.
/// </para>
/// <para>
/// A move happens between two messages of the group, on the core thread. The group's stage is cleared first, so that
/// no message enters; senders meanwhile wait a moment in a loop. Then its entries are copied into the other stage, its
/// waiters move to the other gate, and it gets the other stage. Who waits for everything that was sent before waits for
/// both stages then. It costs a walk through what is unsent.
/// </para>
/// <para>
/// Groups that send before the step in which they are joined is in use wait in an outbox of their own. They go home
/// when it is empty.
/// </para>
/// Core thread only.
/// </summary>
internal sealed class Outboxes(NodeServices services)
{
    // A producer fills its place in some dozen nanoseconds, unless it has lost its processor.
    private const int Spins = 64;

    private readonly List<Outbox> _all = [];
    private readonly List<Outbox> _touched = [];
    private readonly List<GroupCore> _waiters = [];
    private NodeStack? _stack;
    private Outbox? _home;
    private Outbox? _waiting;
    private Outbox? _ordered;
    private int _added;

    /// <summary>Messages admitted and not yet taken by the protocol.</summary>
    public long Unsent
    {
        get
        {
            long unsent = 0;
            foreach (Outbox outbox in _all) unsent += outbox.Gate.UnsentMessages;
            return unsent;
        }
    }

    /// <summary>The outboxes in use.</summary>
    public IReadOnlyList<Outbox> All => _all;

    /// <summary>Begins with a new protocol.</summary>
    public void OnStackBuilt(NodeStack stack)
    {
        _stack = stack;
        foreach (Outbox outbox in _all) outbox.OnStackBuilt();
    }

    /// <summary>Makes the protocol's side of an outbox.</summary>
    public SharedLane OpenLane(Outbox outbox) => _stack!.OpenLane(outbox);

    /// <summary>Gives a new group its outbox.</summary>
    public void Add(GroupCore group)
    {
        group.Number = ++_added;
        Assign(
            group,
            group.Mode == GroupMode.Ordered
                ? _ordered ??= Make(isWaiting: false, keepsOrder: true)
                : _home ??= Make(isWaiting: false));
    }

    /// <summary>A group is gone; it has no messages left.</summary>
    public void Remove(GroupCore group)
    {
        if (group.Outbox is { } outbox) Release(outbox);
        _waiters.Remove(group);
    }

    /// <summary>Schedules the end of a turn for an outbox.</summary>
    public void Touch(Outbox outbox) => _touched.Add(outbox);

    /// <summary>Publishes the turn's progress to senders.</summary>
    public void OnTurnEnded(Instant now)
    {
        // By index: a move touches the other outbox.
        for (int index = 0; index < _touched.Count; index++)
        {
            Outbox outbox = _touched[index];
            outbox.OnTurnEnded();
            if (outbox == _waiting) SendHome(now);
        }
        _touched.Clear();
    }

    /// <summary>Calls back when the protocol has taken all messages that were admitted so far, possibly before the call
    /// returns.</summary>
    public void WhenTaken(Action<Instant> taken, Instant now)
    {
        var barrier = new StageBarrier(taken);
        foreach (Outbox outbox in _all)
        {
            if (outbox.Stage.IsEmpty) continue;
            barrier.Share();
            outbox.Append(null, barrier);
        }
        barrier.Reach(now);
    }

    /// <summary>Gives up all messages and drops the outboxes. All groups are closed.</summary>
    public void DropAll(Exception reason)
    {
        foreach (Outbox outbox in _all) outbox.DropAll(reason);
        _all.Clear();
        _touched.Clear();
        _home = null;
        _waiting = null;
        _ordered = null;
        _waiters.Clear();
    }

    /// <summary>Moves a group with all its entries and waiters.</summary>
    /// <param name="group">The group.</param>
    /// <param name="from">Its outbox.</param>
    /// <param name="other">The outbox to which it moves; null: another one.</param>
    /// <param name="waits">True when the group waits for a step.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>The outbox that the group is in now; null when a producer is in the middle of an entry: then nothing
    /// has changed.</returns>
    public Outbox? Move(GroupCore group, Outbox from, Outbox? other, bool waits, Instant now)
    {
        bool isOpen = group.Stage is not null;
        group.Stage = null;
        Interlocked.MemoryBarrier();
        if (!AllComplete(from.Stage))
        {
            if (isOpen) group.Stage = from.Stage;
            from.Gate.AdvanceFromCore();
            return null;
        }
        Outbox to = waits ? _waiting ??= Make(isWaiting: true) : other ?? Make(isWaiting: false);
        if (waits) _waiters.Add(group);
        MoveEntries(group, from, to);
        Assign(group, to, isOpen);
        from.Gate.MoveWaiters(group, to.Gate);
        Release(from);
        to.Lane.Signal(now);
        return to;
    }

    private static bool AllComplete(SendStage stage)
    {
        if (stage.Start is not { } at) return true;
        var spin = default(SpinWait);
        for (int spins = 0; spins < Spins; spins++)
        {
            bool isEnd;
            while (stage.TryLook(ref at, out _, out isEnd))
            {
            }
            if (isEnd) return true;
            spin.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    private static void MoveEntries(GroupCore group, Outbox from, Outbox to)
    {
        if (from.Stage.Start is not { } at) return;
        int moved = 0;
        long bytes = 0;
        while (from.Stage.TryLook(ref at, out StageEntry entry, out _))
        {
            var barrier = entry.Request as StageBarrier;
            if (barrier is not null && entry.Group is null && moved > 0)
            {
                barrier.Share();
                to.Append(null, barrier);
            }
            if (!ReferenceEquals(entry.Group, group)) continue;
            to.Stage.Append(group, entry.Message, entry.Request);
            if (barrier is null)
            {
                moved++;
                bytes += LengthOf(entry);
            }
            at.Block.TakeOut(at.Slot - 1);
        }
        if (moved == 0) return;
        to.Gate.Charge(moved, bytes);
        from.Gate.OnSent(moved, bytes);
        from.Gate.FlushSent();
    }

    private static int LengthOf(in StageEntry entry) => entry.Request switch
    {
        ConfirmTicket ticket => ticket.Payload.Length,
        PooledPayload payload => payload.Length,
        _ => entry.Message.Length,
    };

    private void SendHome(Instant now)
    {
        if (_waiting is not { } waiting || waiting.Stage.Start is not null) return;
        for (int index = _waiters.Count - 1; index >= 0; index--)
        {
            GroupCore group = _waiters[index];
            if (group.Outbox == waiting && Move(group, waiting, _home, waits: false, now) is null) return;
            _waiters.RemoveAt(index);
        }
    }

    private static void Assign(GroupCore group, Outbox outbox, bool isOpen = true)
    {
        outbox.Groups++;
        group.Outbox = outbox;
        if (isOpen) group.Stage = outbox.Stage;
    }

    private void Release(Outbox outbox)
    {
        if (--outbox.Groups > 0 || outbox == _home || outbox == _waiting || outbox == _ordered) return;
        outbox.Close();
        _all.Remove(outbox);
    }

    private Outbox Make(bool isWaiting, bool keepsOrder = false)
    {
        var outbox = new Outbox(services, this, isWaiting, keepsOrder);
        _all.Add(outbox);
        return outbox;
    }
}
