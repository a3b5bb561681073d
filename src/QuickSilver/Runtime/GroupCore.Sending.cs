using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// The sending part of a group: the outbox through which its messages go, and what they wait for. A send looks for the
/// outbox again when the group has moved to another meanwhile (<see cref="Outboxes"/>).
/// </summary>
internal sealed partial class GroupCore
{
    private const int SenderBytes = 256;
    private const int MostSpins = 64;
    private const int SpinLength = 16;

    private Outbox? _outbox;
    private bool _isClosed;

    /// <summary>The outbox of the group's messages; the core moves the group. Any thread.</summary>
    public Outbox Outbox
    {
        get => Volatile.Read(ref _outbox)!;
        set => Volatile.Write(ref _outbox, value);
    }

    /// <summary>The protocol's sender; null before the session has begun and after it has ended.</summary>
    public GroupSender? Sender { get; private set; }

    /// <summary>Why messages of the group are given up.</summary>
    public Exception GoneReason => _rare?.GoneReason ?? LeftReason();

    /// <summary>True when a send would be admitted now; a hint only. Any thread.</summary>
    public bool IsOpen => Outbox.Gate.IsOpen;

    /// <summary>Copies a short message into the stage if the gate admits it. Any thread; waits for nothing.</summary>
    /// <param name="message">At most <see cref="SendStage.LongestMessage"/> bytes.</param>
    /// <returns>False when there is no room, or the group takes nothing more.</returns>
    public bool TrySend(ReadOnlySpan<byte> message)
    {
        do
        {
            Outbox outbox = Outbox;
            if (!outbox.Gate.TryEnter(message.Length)) return false;
            bool isTaken = false;
            try
            {
                isTaken = outbox.TryEnqueue(this, message);
            }
            finally
            {
                // Also if there is no memory for another block: otherwise the gate would count the message for ever.
                if (!isTaken) outbox.Gate.Undo(message.Length);
            }
            if (isTaken) return true;
        }
        while (IsFound());
        return false;
    }

    /// <summary>Passes a message with its buffer if the gate admits it. Any thread; waits for nothing.</summary>
    /// <param name="request">A <see cref="PooledPayload"/>, or a ticket.</param>
    /// <param name="bytes">Length of the message.</param>
    /// <returns>False when there is no room, or the group takes nothing more.</returns>
    public bool TrySend(object request, int bytes)
    {
        do
        {
            Outbox outbox = Outbox;
            if (!outbox.Gate.TryEnter(bytes)) return false;
            bool isTaken = false;
            try
            {
                isTaken = outbox.TryEnqueue(this, request);
            }
            finally
            {
                if (!isTaken) outbox.Gate.Undo(bytes);
            }
            if (isTaken) return true;
        }
        while (IsFound());
        return false;
    }

    /// <summary>Passes a message with its buffer, and waits for room behind earlier waiters. Takes ownership of the
    /// message, also when it throws. Any thread; on the core thread only while there is room.</summary>
    /// <exception cref="InvalidOperationException">The call is on the core thread and would have to wait.</exception>
    public ValueTask EnterAsync(GroupHandle owner, PooledPayload payload, CancellationToken cancellationToken)
    {
        if (TrySend(payload, payload.Length)) return default;
        if (owner.HasEnded)
        {
            payload.Return();
            return ValueTask.FromException(owner.EndException());
        }
        ThrowIfCoreWouldWait(payload);
        return SendLaterAsync(owner, payload, payload.Length, cancellationToken);
    }

    /// <summary>Passes a message to several ordered groups, of which this is the first, and waits for room behind
    /// earlier waiters. Otherwise as <see cref="EnterAsync"/>.</summary>
    public ValueTask EnterTogetherAsync(
        GroupHandle owner, PooledPayload payload, CancellationToken cancellationToken)
    {
        if (TrySendTogether(payload)) return default;
        if (Array.Find(payload.Owners!, static one => one.HasEnded) is { } ended)
        {
            payload.Return();
            return ValueTask.FromException(ended.EndException());
        }
        ThrowIfCoreWouldWait(payload);
        return SendLaterAsync(owner, payload, payload.Length, cancellationToken);
    }

    // Ordered groups do not move: where this fails there is no room, or one of them takes nothing more.
    private bool TrySendTogether(PooledPayload payload)
    {
        Outbox outbox = Outbox;
        if (!outbox.Gate.TryEnter(payload.Length)) return false;
        bool isTaken = false;
        try
        {
            isTaken = outbox.TryEnqueue(this, payload);
        }
        finally
        {
            if (!isTaken) outbox.Gate.Undo(payload.Length);
        }
        return isTaken;
    }

    /// <summary>Refuses to wait on the core thread.</summary>
    /// <param name="payload">Returned to its pool before the exception; null for none.</param>
    /// <exception cref="InvalidOperationException">The call is on the core thread.</exception>
    public void ThrowIfCoreWouldWait(PooledPayload? payload)
    {
        if (!Services.IsCoreThread) return;
        payload?.Return();
        throw new InvalidOperationException(
            "A send on the core thread (in an inline handler or a feed) must not wait: use TrySend there.");
    }

    /// <summary>Waits for admission behind earlier waiters. The gate takes ownership of the request, unless the group
    /// takes nothing more. Any thread except the core.</summary>
    public ValueTask SendLaterAsync(
        GroupHandle owner, object request, int bytes, CancellationToken cancellationToken)
    {
        while (true)
        {
            Outbox outbox = Outbox;
            if (outbox.Gate.TryWait(owner, request, bytes, cancellationToken, out ValueTask task)) return task;
            if (IsFound()) continue;
            if (!IsClosed) return SendWhenFoundAsync(owner, request, bytes, cancellationToken);
            outbox.Discard(request);
            return ValueTask.FromException(owner.EndException());
        }
    }

    /// <summary>Waits behind earlier waiters until a message could be admitted. Any thread except the core.</summary>
    /// <returns>False if the handle has ended.</returns>
    public ValueTask<bool> WaitForRoomAsync(GroupHandle owner, CancellationToken cancellationToken)
    {
        while (true)
        {
            if (Outbox.Gate.TryWait(owner, cancellationToken, out ValueTask<bool> task)) return task;
            if (IsFound()) continue;
            if (!IsClosed) return WaitWhenFoundAsync(owner, cancellationToken);
            return ValueTask.FromResult(false);
        }
    }

    /// <summary>Fails the waiters of a handle that has ended. Any thread.</summary>
    public void OnOwnerEnded(GroupHandle owner) => Outbox.Gate.OnOwnerEnded(owner);

    /// <summary>Adds the group to a flush, which completes when every message sent so far is stable.</summary>
    /// <returns>False when the group is being left, or gone.</returns>
    public bool Flush(CountdownFlush flush, Instant now)
    {
        if (Local is not { IsLeaving: false } local) return false;
        flush.Expect();
        if (Outbox.MayHold(this))
            Outbox.Append(this, new StageBarrier(later => flush.Ask(local, later), flush.Fail));
        else
            flush.Ask(local, now);
        return true;
    }

    /// <summary>Prepares a leave: no message enters any more, and those inside go first.</summary>
    /// <param name="drained">Called when the protocol has taken them, possibly before this call returns.</param>
    /// <param name="now">The instant of the turn.</param>
    public void OnLeaving(Action<Instant> drained, Instant now)
    {
        State = GroupState.Leaving;
        KeepView();
        CloseSends();
        // In another turn's requests, never inside a call of the protocol.
        if (Outbox.MayHold(this)) Outbox.Append(this, new StageBarrier(_ => Services.TryPost(drained)));
        else drained(now);
    }

    /// <summary>Follows a message to its stability: its call fails when the group is gone before.</summary>
    public void Follow(ConfirmTicket ticket)
    {
        Rarities rare = Rare;
        ticket.Unstable = rare.Tickets ??= [];
        rare.Tickets.Add(ticket);
    }

    /// <summary>The tickets of messages that the protocol has taken and that are not stable.</summary>
    public IReadOnlyCollection<ConfirmTicket> Unconfirmed => (IReadOnlyCollection<ConfirmTicket>?)_rare?.Tickets ?? [];

    /// <inheritdoc/>
    public override void Prepare()
    {
        if (Sender is { } sender) CacheLines.Fetch(sender, SenderBytes);
        if (Local is { } local) CacheLines.Fetch(local);
    }

    /// <summary>Takes no message any more.</summary>
    public void CloseSends()
    {
        Volatile.Write(ref _isClosed, true);
        Stage = null;
        Interlocked.MemoryBarrier();
    }

    void IGroupListener.OnGateChanged(bool open, Instant now)
    {
        // The gate of the group's feeds: the protocol asks them when it is open.
    }

    private void EndSending(Exception reason)
    {
        Rarities rare = Rare;
        rare.GoneReason = reason;
        CloseSends();
        Sender = null;
        _node.Outboxes.Remove(this);
        foreach (ConfirmTicket ticket in rare.Tickets ?? []) ticket.Fail(reason);
        rare.Tickets = null;
    }

    private bool IsClosed => Volatile.Read(ref _isClosed);

    // While the core moves the group, a moment passes until it has a stage again. It is long if the core loses its
    // processor just then, so the spinning has a bound. False when the group is closed, or not found yet.
    private bool IsFound()
    {
        for (int spins = 0; Stage is null; spins++)
        {
            if (IsClosed || spins == MostSpins) return false;
            Thread.SpinWait(SpinLength);
        }
        return true;
    }

    private async ValueTask SendWhenFoundAsync(
        GroupHandle owner, object request, int bytes, CancellationToken cancellationToken)
    {
        try
        {
            await WhenFoundAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            Outbox.Discard(request);
            throw;
        }
        await SendLaterAsync(owner, request, bytes, cancellationToken).ConfigureAwait(false);
    }

    private async ValueTask<bool> WaitWhenFoundAsync(GroupHandle owner, CancellationToken cancellationToken)
    {
        await WhenFoundAsync(cancellationToken).ConfigureAwait(false);
        return await WaitForRoomAsync(owner, cancellationToken).ConfigureAwait(false);
    }

    private async Task WhenFoundAsync(CancellationToken cancellationToken)
    {
        while (Stage is null && !IsClosed) await Task.Delay(1, cancellationToken).ConfigureAwait(false);
    }
}
