using QuickSilver.Protocol.Core;

namespace QuickSilver.Sending;

/// <summary>
/// Admission control for the messages of groups that share a stage, in front of it.
/// <para>
/// Idea: one word holds the state of the gate, so an admission costs a read and one interlocked addition. Two limits
/// shut the gate. The core shuts it at the protocol's pending limits and opens it when half of them is free. The gate
/// itself shuts at the limit of unsent messages (<see cref="UnsentCount"/>) and opens at half.
/// </para>
/// <para>
/// The unsent limit keeps producers that outrun the network within cached memory. Without it they would fill the whole
/// pending limit. The core would then read it back at half the rate and a hundred times the latency
/// (docs/decisions/0013). A shut gate is shut for every caller: waiters are admitted in the order of their calls, and
/// no call overtakes them.
/// </para>
/// <para>
/// Awkward cases. A send racing with the core's decision to shut is still accepted; the unsent limit bounds the
/// overshoot. Lost wake-ups: a sender sets <see cref="UnsentFull"/>, then re-reads the count; the core lowers the
/// count, then re-reads the flag. A full fence between each pair guarantees that at least one side sees the other. The
/// core admits waiters without waiting for the gate's lock: if it is held, the core tries again in its next turn. When
/// waiters move to another gate it waits for both locks. The lock makes
/// cancellation and admission of a waiter mutually exclusive.
/// </para>
/// <para>Cost: allocates nothing in steady state, waiting included (pooled <see cref="SendWaiter"/>s).</para>
/// </summary>
internal sealed class SendGate
{
    private const int ShutByCore = 1;
    private const int UnsentFull = 2;
    private const int HasWaiters = 4;

    private readonly ISendQueue _queue;
    private readonly SendWaiterPool _waiters;
    private readonly Lock _lock = new();
    private readonly int _maxWaiting;
    private int _state;
    private UnsentCount _unsent;
    private SendWaiterList _waiting;

    // Core thread only.
    private long _taken;
    private long _takenBefore;
    private Instant? _standsSince;

    /// <summary>Creates an open gate.</summary>
    /// <param name="queue">Destination of admitted requests.</param>
    /// <param name="waiters">The node's pool of waiters.</param>
    /// <param name="budget">The node's total of unsent messages.</param>
    /// <param name="maxMessages">Limit on unsent messages.</param>
    /// <param name="maxBytes">Limit on unsent bytes.</param>
    /// <param name="maxWaiting">Limit on calls that wait.</param>
    public SendGate(
        ISendQueue queue, SendWaiterPool waiters, UnsentBudget budget, int maxMessages, long maxBytes,
        int maxWaiting = int.MaxValue)
    {
        _queue = queue;
        _waiters = waiters;
        _unsent = new UnsentCount(budget, maxMessages, maxBytes);
        _maxWaiting = Math.Max(1, maxWaiting);
    }

    /// <summary>Whether a send would be admitted now; a hint only. Any thread.</summary>
    public bool IsOpen => Volatile.Read(ref _state) == 0;

    /// <summary>Messages admitted and not yet taken by the protocol. Core thread only.</summary>
    public long UnsentMessages => _unsent.Messages;

    /// <summary>Ends the gate's share of the node's unsent total, even if a late call still counts a message. Core
    /// thread only.</summary>
    public void OnGone() => _unsent.OnGone();

    /// <summary>Reports the unsent messages to the node's budget. Core thread only.</summary>
    public void NoteUnsent() => _unsent.Note();

    /// <summary>Admits one message, unless the gate is shut or calls wait. On success the caller must enqueue the
    /// message. Any thread.</summary>
    public bool TryEnter(int bytes)
    {
        if (Volatile.Read(ref _state) != 0) return false;
        if (_unsent.TryAdd(bytes)) return true;
        lock (_lock)
        {
            Interlocked.Or(ref _state, UnsentFull);
            Advance();
        }
        // The core may have reported this message in the node's total meanwhile.
        _queue.RequestAdvance();
        return false;
    }

    /// <summary>Reverts a <see cref="TryEnter"/> whose message was not enqueued. Any thread.</summary>
    public void Undo(int bytes)
    {
        _unsent.Remove(bytes);
        lock (_lock) Advance();
    }

    /// <summary>Waits for admission behind earlier waiters, or is admitted at once if there are none. On success the
    /// gate has taken ownership of the request. Any thread except the core.</summary>
    /// <param name="owner">The calling handle; its waiters fail when it ends.</param>
    /// <param name="request">The request to enqueue on admission.</param>
    /// <param name="bytes">Length of the message.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <param name="task">Completes on admission.</param>
    /// <returns>False if the group's messages do not enter here (any more): nothing waits.</returns>
    public bool TryWait(
        ISendOwner owner, object request, int bytes, CancellationToken cancellationToken, out ValueTask task)
    {
        SendWaiter waiter = _waiters.Rent(this, owner, request, bytes);
        task = new ValueTask(waiter, waiter.Version);
        return TryJoin(waiter, cancellationToken);
    }

    /// <summary>Waits behind earlier waiters until a message could be admitted. Any thread.</summary>
    /// <param name="owner">The calling handle; its waiters fail when it ends.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <param name="task">Completes with false if the handle has ended.</param>
    /// <returns>False if the group's messages do not enter here (any more): nothing waits.</returns>
    public bool TryWait(ISendOwner owner, CancellationToken cancellationToken, out ValueTask<bool> task)
    {
        SendWaiter waiter = _waiters.Rent(this, owner, null, 0);
        task = new ValueTask<bool>(waiter, waiter.Version);
        return TryJoin(waiter, cancellationToken);
    }

    /// <summary>Counts messages as unsent whatever the limits are: the core moves them here from another gate's stage.
    /// Core thread only.</summary>
    public void Charge(int messages, long bytes) => _unsent.Add(messages, bytes);

    /// <summary>Moves the waiters of a group to another gate, in their order. Core thread only; takes both locks, one
    /// after the other.</summary>
    /// <param name="group">The group, whose messages enter at the other gate already.</param>
    /// <param name="other">The gate of the stage that takes the group's messages.</param>
    public void MoveWaiters(StagedGroup group, SendGate other)
    {
        SendWaiterList moved = default;
        lock (_lock)
        {
            for (SendWaiter? waiter = _waiting.First; waiter is not null;)
            {
                SendWaiter? next = waiter.Next;
                if (ReferenceEquals(waiter.Owner!.StagedGroup, group))
                {
                    _waiting.Remove(waiter);
                    moved.Append(waiter);
                    waiter.IsQueued = false;
                }
                waiter = next;
            }
            Advance();
        }
        if (moved.First is not null) other.Adopt(moved);
    }

    /// <summary>Records messages that the protocol has taken or dropped. They are accumulated until
    /// <see cref="FlushSent"/>, or until they are many. Core thread only.</summary>
    public void OnSent(int messages, long bytes)
    {
        _taken += messages;
        if (_unsent.OnSent(messages, bytes)) FlushSent();
    }

    /// <summary>Subtracts the recorded messages from the unsent count, and opens the gate if enough room is free. Core
    /// thread only.</summary>
    public void FlushSent()
    {
        if (_unsent.Flush() && (Volatile.Read(ref _state) & (UnsentFull | HasWaiters)) != 0) AdvanceFromCore();
    }

    /// <summary>Reacts to the protocol's pending limits: reached (false), or half free again (true). Core thread
    /// only.</summary>
    public void OnGateChanged(bool open)
    {
        if (!open)
        {
            Interlocked.Or(ref _state, ShutByCore);
            return;
        }
        Interlocked.And(ref _state, ~ShutByCore);
        if (Volatile.Read(ref _state) != 0) AdvanceFromCore();
    }

    /// <summary>Admits waiters as far as there is room, without blocking on the lock. If the lock is held, requests
    /// another call. Core thread only.</summary>
    public void AdvanceFromCore()
    {
        if (!_lock.TryEnter())
        {
            _queue.RequestAdvance();
            return;
        }
        try
        {
            Advance();
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Looks whether sends stand: the gate is shut, and the protocol has taken nothing since the last look.
    /// Core thread only.</summary>
    /// <returns>The first look that found them so; null while they move.</returns>
    public Instant? LookWhetherStanding(Instant now)
    {
        if (IsOpen || _taken != _takenBefore)
        {
            _takenBefore = _taken;
            _standsSince = null;
            return null;
        }
        return _standsSince ??= now;
    }

    /// <summary>Fails the calls that have waited for a time: their messages are not sent. O(calls that wait). Core
    /// thread only; takes the lock.</summary>
    /// <param name="since">From when on waiting counts.</param>
    /// <param name="limit">The time.</param>
    /// <param name="reason">Makes the exception of a call.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>The number of calls.</returns>
    public int EndWaits(Instant since, TimeSpan limit, Func<ISendOwner, Exception> reason, Instant now)
    {
        int ended = 0;
        lock (_lock)
        {
            for (SendWaiter? waiter = _waiting.First; waiter is not null;)
            {
                SendWaiter? next = waiter.Next;
                Instant seen = waiter.Seen ??= now;
                if (now - (seen > since ? seen : since) >= limit)
                {
                    _waiting.Remove(waiter);
                    _queue.Discard(waiter.TakeRequest());
                    waiter.Fail(reason(waiter.Owner!));
                    ended++;
                }
                waiter = next;
            }
            Advance();
        }
        return ended;
    }

    /// <summary>Fails the waiters of a handle that has ended. Call it after <see cref="ISendOwner.HasEnded"/> is true.
    /// Any thread.</summary>
    public void OnOwnerEnded(ISendOwner owner)
    {
        lock (_lock)
        {
            for (SendWaiter? waiter = _waiting.First; waiter is not null;)
            {
                SendWaiter? next = waiter.Next;
                if (waiter.Concerns(owner))
                {
                    _waiting.Remove(waiter);
                    Refuse(waiter, owner);
                }
                waiter = next;
            }
            Advance();
        }
    }

    /// <summary>Fails a waiter whose token was cancelled.</summary>
    internal void Cancel(SendWaiter waiter, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (!waiter.IsQueued) return;
            _waiting.Remove(waiter);
            Advance();
        }
        _queue.Discard(waiter.TakeRequest());
        string what = waiter.IsMessage ? "Too much was pending, and the message is not sent" : "Too much is pending";
        waiter.Fail(
            new OperationCanceledException($"The wait for room to send was cancelled. {what}.", cancellationToken));
    }

    private bool TryJoin(SendWaiter waiter, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (waiter.FindEnded() is { } ended)
            {
                Refuse(waiter, ended);
                return true;
            }
            // Under the lock, so that the waiter is in line before the core moves the group's waiters, or not at all.
            if (!waiter.IsServedBy(_queue))
            {
                waiter.Recycle();
                return false;
            }
            _waiting.Append(waiter);
            Interlocked.Or(ref _state, HasWaiters);
            Advance();
            if (!waiter.IsQueued) return true;
            if (_waiting.Count > _maxWaiting)
            {
                _waiting.Remove(waiter);
                _queue.Discard(waiter.TakeRequest());
                waiter.Fail(TooManyWait());
                return true;
            }
        }
        waiter.WatchFor(cancellationToken);
        return true;
    }

    private void Adopt(SendWaiterList moved)
    {
        lock (_lock)
        {
            while (moved.First is { } waiter)
            {
                moved.Remove(waiter);
                if (waiter.FindEnded() is { } ended)
                {
                    Refuse(waiter, ended);
                    continue;
                }
                _waiting.Append(waiter);
                Interlocked.Or(ref _state, HasWaiters);
                waiter.MoveTo(this);
            }
            Advance();
        }
    }

    // Opens the gate if possible and admits waiters in order. UnsentFull is cleared at half only; after setting it, the
    // count is read again (see the type's summary).
    private void Advance()
    {
        while (true)
        {
            if ((Volatile.Read(ref _state) & UnsentFull) != 0)
            {
                if (!_unsent.IsHalfFree) return;
                Interlocked.And(ref _state, ~UnsentFull);
            }
            if (_waiting.First is not { } waiter)
            {
                Interlocked.And(ref _state, ~HasWaiters);
                return;
            }
            if ((Volatile.Read(ref _state) & ShutByCore) != 0) return;
            // The core is about to move the waiters of a group that does not enter here any more.
            if (!waiter.IsServedBy(_queue) && waiter.FindEnded() is null) return;
            if (!TryAdmit(waiter)) Interlocked.Or(ref _state, UnsentFull);
        }
    }

    private bool TryAdmit(SendWaiter waiter)
    {
        if (waiter.IsMessage)
        {
            if (!_unsent.TryAdd(waiter.Bytes)) return false;
            object request = waiter.TakeRequest()!;
            if (!_queue.TryEnqueue(waiter.Owner!.StagedGroup, request))
            {
                _unsent.Remove(waiter.Bytes);
                // A group that moves just now keeps its waiters in line: the next look finds it moved.
                waiter.PutBack(request);
                if (waiter.FindEnded() is not { } ended) return true;
                _waiting.Remove(waiter);
                Refuse(waiter, ended);
                return true;
            }
            _waiting.Remove(waiter);
        }
        else
        {
            if (!_unsent.HasRoom) return false;
            _waiting.Remove(waiter);
        }
        waiter.Succeed(true);
        return true;
    }

    private QuickSilverException TooManyWait() => new(
        ErrorCode.TooManyWaitingSends,
        $"{_maxWaiting} calls wait already for room to send, as many as Pending.MaxWaitingCallsPerRegion allows; the "
        + "message is not sent. Await each send before the next, or use TrySend.");

    private void Refuse(SendWaiter waiter, ISendOwner ended)
    {
        if (waiter.IsMessage)
        {
            _queue.Discard(waiter.TakeRequest());
            waiter.Fail(ended.EndException());
        }
        else
        {
            waiter.Succeed(false);
        }
    }
}
