namespace QuickSilver.Sending;

/// <summary>
/// Admission of one group's messages, in front of their stage.
/// <para>
/// Idea: one word says whether the gate is open, so an admission costs a read and one interlocked addition. Two things
/// shut it. The core does when the protocol's limits of pending are reached, and opens it when half of them is free.
/// And what is unsent, that is admitted and not yet taken by the protocol, is counted here, messages and bytes in one
/// word: at the limit (one longer message passes when nothing is unsent; the limit is low while the node is crowded,
/// see <see cref="UnsentBudget"/>) the gate shuts, at half it opens. So producers that are quicker than the network
/// work in memory that a cache holds, instead of writing all that may be pending, which the core would read back from
/// afar, at half the rate and after a hundred times the wait (docs/decisions/0013). Once shut it stays shut for
/// everybody: waiters stand in a list in the order of their calls, are admitted from its head, and nobody passes while
/// it has anyone.
/// </para>
/// <para>
/// Awkward cases. An admission between the core's word and its effect is taken anyway: bounded by what may be unsent. Who finds the limit passed
/// declares the gate full, fences, and looks at the count again; the core lowers the count, fences, and looks at the declaration: one of both sees
/// the other, so nobody waits for ever. The core never waits for the gate's lock: when somebody else has it, it comes back with its next turn. A
/// waiter that is cancelled at the moment of its admission is one or the other, never both, by the lock.
/// </para>
/// <para>Cost: allocates nothing in steady state, waiting included (pooled <see cref="SendWaiter"/>s).</para>
/// </summary>
internal sealed class SendGate
{
    private const int ShutByCore = 1;
    private const int UnsentFull = 2;
    private const int HasWaiters = 4;
    private const int MessageShift = 40;
    private const long ByteMask = (1L << MessageShift) - 1;
    private const int FlushMessages = 64;
    private const int FlushBytes = 256 << 10;

    private readonly ISendQueue _queue;
    private readonly SendWaiterPool _waiters;
    private readonly UnsentBudget _budget;
    private readonly Lock _lock = new();
    private readonly int _mostMessages;
    private readonly long _mostBytes;
    private int _state;
    private long _unsent;
    private SendWaiterList _waiting;

    // The core's own.
    private long _sent;
    private long _noted;
    private bool _isGone;

    /// <summary>Makes an open gate.</summary>
    /// <param name="queue">Takes what is admitted.</param>
    /// <param name="waiters">The node's waiters.</param>
    /// <param name="budget">What all groups of the node have unsent.</param>
    /// <param name="mostMessages">Most messages unsent.</param>
    /// <param name="mostBytes">Most bytes unsent.</param>
    public SendGate(ISendQueue queue, SendWaiterPool waiters, UnsentBudget budget, int mostMessages, long mostBytes)
    {
        _queue = queue;
        _waiters = waiters;
        _budget = budget;
        _mostMessages = Math.Max(1, mostMessages);
        _mostBytes = Math.Max(1, mostBytes);
    }

    /// <summary>True when a send would be admitted, as far as can be known. Any thread.</summary>
    public bool IsOpen => Volatile.Read(ref _state) == 0;

    /// <summary>Messages admitted and not yet taken by the protocol. Core thread only.</summary>
    public long UnsentMessages => (Interlocked.Read(ref _unsent) - _sent) >> MessageShift;

    /// <summary>The group is gone: it has nothing unsent, whatever a call has counted that finds the stage closed. Core thread only.</summary>
    public void OnGone()
    {
        _isGone = true;
        NoteUnsent();
    }

    /// <summary>Tells the node's budget what the group has unsent now. Core thread only.</summary>
    public void NoteUnsent()
    {
        long unsent = Interlocked.Read(ref _unsent) - _sent;
        long cost = _isGone ? 0 : UnsentBudget.CostOf(unsent >> MessageShift, unsent & ByteMask);
        if (cost == _noted) return;
        _budget.Change(cost - _noted);
        _noted = cost;
    }

    /// <summary>Admits one message unless the gate is shut or somebody waits: the caller then owes the queue the message. Any thread.</summary>
    public bool TryEnter(int bytes)
    {
        if (Volatile.Read(ref _state) != 0) return false;
        long unit = Unit(bytes);
        long before = Interlocked.Add(ref _unsent, unit) - unit;
        if (IsBelowLimit(before)) return true;
        Interlocked.Add(ref _unsent, -unit);
        lock (_lock)
        {
            Interlocked.Or(ref _state, UnsentFull);
            Advance();
        }
        // The core may have noted the node's sum while this message was in it.
        _queue.RequestAdvance();
        return false;
    }

    /// <summary>Undoes a <see cref="TryEnter"/> whose message the queue did not get. Any thread.</summary>
    public void Undo(int bytes)
    {
        Interlocked.Add(ref _unsent, -Unit(bytes));
        lock (_lock) Advance();
    }

    /// <summary>Waits for admission behind those who wait already, or is admitted at once when nobody does. The gate owns the request from here on.
    /// Any thread but the core's.</summary>
    /// <param name="owner">The handle: when it ends, its waiters fail.</param>
    /// <param name="request">What goes to the queue when admitted.</param>
    /// <param name="bytes">Length of the message.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    public ValueTask EnterAsync(ISendOwner owner, object request, int bytes, CancellationToken cancellationToken)
    {
        SendWaiter waiter = _waiters.Rent(this, owner, request, bytes);
        var task = new ValueTask(waiter, waiter.Version);
        Join(waiter, cancellationToken);
        return task;
    }

    /// <summary>Waits, behind those who wait already, until a message could be admitted; false: the handle has ended. Any thread.</summary>
    public ValueTask<bool> WaitAsync(ISendOwner owner, CancellationToken cancellationToken)
    {
        SendWaiter waiter = _waiters.Rent(this, owner, null, 0);
        var task = new ValueTask<bool>(waiter, waiter.Version);
        Join(waiter, cancellationToken);
        return task;
    }

    /// <summary>Messages have been taken by the protocol, or dropped. Counted together until <see cref="FlushSent"/>,
    /// or until it is much. Core thread only.</summary>
    public void OnSent(int messages, long bytes)
    {
        _sent += ((long)messages << MessageShift) + bytes;
        if (_sent >> MessageShift >= FlushMessages || (_sent & ByteMask) >= FlushBytes) FlushSent();
    }

    /// <summary>Makes room for what has been taken, and opens the gate if that is enough. Core thread only.</summary>
    public void FlushSent()
    {
        if (_sent == 0) return;
        long left = Interlocked.Add(ref _unsent, -_sent);
        _sent = 0;
        if ((Volatile.Read(ref _state) & (UnsentFull | HasWaiters)) != 0 && IsHalfFree(left)) AdvanceFromCore();
    }

    /// <summary>The protocol's limits of pending are reached (false), or half of them is free again (true). Core thread only.</summary>
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

    /// <summary>Lets those in whom there is room for, without waiting for the lock: when it is taken, the queue is asked to call
    /// again. Core thread only.</summary>
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

    /// <summary>A handle has ended: its waiters fail with what it throws. Called after the handle says so itself. Any thread.</summary>
    public void OnOwnerEnded(ISendOwner owner)
    {
        lock (_lock)
        {
            for (SendWaiter? waiter = _waiting.First; waiter is not null;)
            {
                SendWaiter? next = waiter.Next;
                if (ReferenceEquals(waiter.Owner, owner))
                {
                    _waiting.Remove(waiter);
                    Refuse(waiter);
                }
                waiter = next;
            }
            Advance();
        }
    }

    /// <summary>A waiter's token was cancelled.</summary>
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
        waiter.Fail(new OperationCanceledException($"The wait for room to send was cancelled. {what}.", cancellationToken));
    }

    private static long Unit(int bytes) => (1L << MessageShift) + bytes;

    private long ByteLimit => _budget.IsCrowded ? Math.Min(_mostBytes, UnsentBudget.MostInCrowd) : _mostBytes;

    private bool IsBelowLimit(long unsent) => unsent >> MessageShift < _mostMessages && (unsent & ByteMask) < ByteLimit;

    private bool IsHalfFree(long unsent) => unsent >> MessageShift <= _mostMessages / 2 && (unsent & ByteMask) <= ByteLimit / 2;

    private void Join(SendWaiter waiter, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (waiter.Owner!.HasEnded)
            {
                Refuse(waiter);
                return;
            }
            _waiting.Append(waiter);
            Interlocked.Or(ref _state, HasWaiters);
            Advance();
            if (!waiter.IsQueued) return;
        }
        waiter.WatchFor(cancellationToken);
    }

    // Opens what can be opened and admits from the head of the list. The declaration "full" is withdrawn at half only; after making it, the count is
    // read again (see the type's summary).
    private void Advance()
    {
        while (true)
        {
            if ((Volatile.Read(ref _state) & UnsentFull) != 0)
            {
                if (!IsHalfFree(Interlocked.Read(ref _unsent))) return;
                Interlocked.And(ref _state, ~UnsentFull);
            }
            if (_waiting.First is not { } waiter)
            {
                Interlocked.And(ref _state, ~HasWaiters);
                return;
            }
            if ((Volatile.Read(ref _state) & ShutByCore) != 0) return;
            if (!TryAdmit(waiter)) Interlocked.Or(ref _state, UnsentFull);
        }
    }

    private bool TryAdmit(SendWaiter waiter)
    {
        if (waiter.IsMessage)
        {
            long unit = Unit(waiter.Bytes);
            long before = Interlocked.Add(ref _unsent, unit) - unit;
            if (!IsBelowLimit(before))
            {
                Interlocked.Add(ref _unsent, -unit);
                return false;
            }
            _waiting.Remove(waiter);
            object request = waiter.TakeRequest()!;
            if (!_queue.TryEnqueue(request))
            {
                Interlocked.Add(ref _unsent, -unit);
                _queue.Discard(request);
                waiter.Fail(waiter.Owner!.EndException());
                return true;
            }
        }
        else
        {
            if (!IsBelowLimit(Interlocked.Read(ref _unsent))) return false;
            _waiting.Remove(waiter);
        }
        waiter.Succeed(true);
        return true;
    }

    private void Refuse(SendWaiter waiter)
    {
        if (waiter.IsMessage)
        {
            _queue.Discard(waiter.TakeRequest());
            waiter.Fail(waiter.Owner!.EndException());
        }
        else
        {
            waiter.Succeed(false);
        }
    }
}
