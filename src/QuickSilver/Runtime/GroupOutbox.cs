using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// Carries the messages that an application sends to one group with calls, from its threads to the protocol.
/// <para>
/// Idea: admitted messages wait in a stage. The protocol takes them from there as from a feed, straight into a packet,
/// when it can send. A message with a ticket, or one too long to be copied again, is passed with its buffer. A request
/// signals the core; one request serves all messages until the core has seen it.
/// </para>
/// <para>
/// Awkward cases. A flush is an entry of the stage, because another producer may still be filling an entry before it.
/// The protocol counts messages only after the call that took them. A flush at the head of the stage therefore ends
/// that call, and starts in the next turn. A leave closes the stage, and starts when every entry has been taken.
/// </para>
/// Core thread only, unless a member says otherwise.
/// </summary>
internal sealed class GroupOutbox : IRequestTarget, ISendQueue, IMessageSource
{
    private const long AdvanceRequest = 1;

    private readonly NodeServices _services;
    private readonly GroupCore _group;
    private readonly SendStage _stage;
    private HashSet<ConfirmTicket>? _tickets;
    private LocalGroup? _local;
    private Exception? _goneReason;
    private Action<Instant>? _drained;
    private bool _isSource;

    // Taken by the protocol in the present call of Write.
    private int _taken;
    private long _takenBytes;

    // Any thread: 1 while a request is on its way to the core.
    private int _isSignalled;

    /// <summary>Creates the outbox of a group whose join is under way.</summary>
    public GroupOutbox(NodeServices services, GroupCore group)
    {
        _services = services;
        _group = group;
        _stage = new SendStage(services.StageBlocks);
        PendingOptions pending = services.Options.Pending;
        // At most half of the limits of pending messages, so that small ones hold too.
        Gate = new SendGate(
            this,
            services.Waiters,
            services.Unsent,
            Math.Min(pending.MaxUnsentMessagesPerGroup, pending.MaxMessagesPerRegion / 2),
            Math.Min(pending.MaxUnsentBytesPerGroup, pending.MaxBytesPerRegion / 2));
    }

    /// <summary>Admits or delays sends. Any thread.</summary>
    public SendGate Gate { get; }

    /// <summary>Messages admitted and not yet taken by the protocol.</summary>
    public long Staged => Gate.UnsentMessages;

    /// <summary>Copies a message that the gate has admitted into the stage. Any thread; never waits.</summary>
    /// <param name="message">At most <see cref="SendStage.LongestMessage"/> bytes.</param>
    /// <returns>False when the group takes nothing more.</returns>
    public bool TryEnqueue(ReadOnlySpan<byte> message)
    {
        if (!_stage.TryAppend(message)) return false;
        Signal();
        return true;
    }

    /// <inheritdoc/>
    public bool TryEnqueue(object request)
    {
        if (!_stage.TryAppend(request)) return false;
        Signal();
        return true;
    }

    /// <inheritdoc/>
    public void Discard(object? request)
    {
        if (request is PooledPayload message) message.Return();
        else if (request is ConfirmTicket ticket) ticket.Payload.Return();
    }

    /// <inheritdoc/>
    public void RequestAdvance() => _services.Requests.Enqueue(this, null, AdvanceRequest);

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        if (argument == AdvanceRequest)
        {
            Gate.AdvanceFromCore();
            _group.Touch();
            return;
        }
        Interlocked.Exchange(ref _isSignalled, 0);
        Gate.NoteUnsent();
        _group.Touch();
        if (_local is not { } local)
        {
            DropAll();
            return;
        }
        AskFlushes(local, now);
        if (_drained is { } drained && _stage.IsDone)
        {
            _drained = null;
            drained(now);
            return;
        }
        if (!_isSource) local.Sender.AddSource(this);
        _isSource = true;
        local.Sender.Signal(this, now);
    }

    /// <inheritdoc/>
    public bool Write(MessageWriter messages)
    {
        bool takesMore = true, hasMore = true, isFlush = false;
        while (takesMore && hasMore && !isFlush)
        {
            hasMore = _stage.TryPeek(out ReadOnlySpan<byte> bytes, out object? request);
            isFlush = request is CountdownFlush;
            if (hasMore && !isFlush) takesMore = Take(messages, bytes, request);
        }
        Gate.OnSent(_taken, _takenBytes);
        _group.OnFed(_taken, _takenBytes);
        _group.Touch();
        _taken = 0;
        _takenBytes = 0;
        // A flush starts, and a leave continues, after the protocol has counted the messages of this call.
        if (isFlush || (_drained is not null && _stage.IsDone)) Signal();
        return hasMore && !isFlush;
    }

    /// <summary>Prepares a leave: no message enters any more, and those inside go first.</summary>
    /// <param name="drained">Called when the protocol has taken all of them, possibly before this call returns.</param>
    /// <param name="now">The instant of the turn.</param>
    public void OnLeaving(Action<Instant> drained, Instant now)
    {
        // Close first: a message that enters after the check would be dropped although its caller believes it sent.
        _stage.Close();
        if (_stage.IsDone)
        {
            drained(now);
            return;
        }
        _drained = drained;
        Signal();
    }

    /// <summary>Starts a flush of every message sent so far. It goes through the stage, because another producer may
    /// still be filling an entry before it.</summary>
    /// <returns>False when the group is gone.</returns>
    public bool Flush(CountdownFlush flush, Instant now)
    {
        if (_local is not { } local) return false;
        if (_stage.IsEmpty)
        {
            flush.Expect();
            flush.Ask(local, now);
            return true;
        }
        if (!TryEnqueue(flush)) return false;
        flush.Expect();
        _group.Touch();
        return true;
    }

    /// <summary>Begins the node's session in the group.</summary>
    public void OnAdmitted(LocalGroup local)
    {
        _local = local;
        if (!local.IsOpen) Gate.OnGateChanged(open: false);
    }

    /// <summary>Ends the session when the group is left or the node ends: pending calls fail with the reason.</summary>
    public void OnGone(Exception reason)
    {
        _goneReason = reason;
        if (_isSource) _local?.Sender.RemoveSource(this);
        _isSource = false;
        _local = null;
        _drained = null;
        _stage.Close();
        DropAll();
        _stage.ReleaseIfEmpty();
        Gate.OnGone();
        foreach (ConfirmTicket ticket in _tickets ?? []) ticket.Fail(reason);
        _tickets = null;
    }

    /// <summary>Updates the gate and releases spare memory at the end of a turn.</summary>
    public void OnTurnEnded()
    {
        Gate.FlushSent();
        Gate.NoteUnsent();
        _stage.ReleaseIfEmpty();
    }

    // The fence orders the append before the read of the flag: the core clears the flag, then looks for messages.
    private void Signal()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isSignalled) == 0 && Interlocked.Exchange(ref _isSignalled, 1) == 0)
            _services.Requests.Enqueue(this);
    }

    private void AskFlushes(LocalGroup local, Instant now)
    {
        while (_stage.TryPeek(out _, out object? request) && request is CountdownFlush flush)
        {
            _stage.Advance();
            flush.Ask(local, now);
        }
    }

    // Passes the message at the head of the stage to the protocol; true when it takes another.
    private bool Take(MessageWriter messages, ReadOnlySpan<byte> bytes, object? request)
    {
        _taken++;
        if (request is null)
        {
            _takenBytes += bytes.Length;
            bytes.CopyTo(messages.GetSpan(bytes.Length));
            messages.Advance(bytes.Length);
            _stage.Advance();
            return messages.EndMessage();
        }
        _stage.Advance();
        var ticket = request as ConfirmTicket;
        PooledPayload payload = ticket?.Payload ?? (PooledPayload)request;
        _takenBytes += payload.Length;
        if (ticket is null && payload.Length <= SendStage.LongestMessage)
        {
            // A short message has its own buffer when its sender waited at the gate.
            payload.Span.CopyTo(messages.GetSpan(payload.Length));
            messages.Advance(payload.Length);
            payload.Release();
            return messages.EndMessage();
        }
        if (ticket is not null)
        {
            ticket.Unstable = _tickets ??= [];
            _tickets.Add(ticket);
        }
        return messages.Hand(payload, ticket);
    }

    private void DropAll()
    {
        while (_stage.TryPeek(out ReadOnlySpan<byte> message, out object? request)) Drop(message, request);
    }

    private void Drop(ReadOnlySpan<byte> message, object? request)
    {
        Exception reason = _goneReason ?? _group.LeftReason();
        int length = message.Length;
        _stage.Advance();
        if (request is CountdownFlush flush)
        {
            flush.Fail(reason);
            return;
        }
        var ticket = request as ConfirmTicket;
        PooledPayload? payload = ticket?.Payload ?? request as PooledPayload;
        Gate.OnSent(1, payload?.Length ?? length);
        payload?.Return();
        ticket?.Fail(reason);
        _group.Touch();
    }
}
