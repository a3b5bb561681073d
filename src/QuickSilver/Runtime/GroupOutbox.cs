using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// What a node's application sends to one group with calls, on its way from their threads to the protocol.
/// <para>
/// Idea: admitted messages wait in a stage, and the protocol takes them from there as from a feed: when they could be
/// sent, straight into a packet. A message with a ticket, or too long to be copied once more, is handed over as it is.
/// A request tells the core that there is something, one until the core has seen it.
/// </para>
/// <para>
/// Awkward cases. A flush is an entry of the stage, since what has its place before it may still be in another
/// producer's hands. The protocol counts what it has taken only after the call in which it took it: so a flush at the
/// stage's head ends the call, and is asked for in the next turn. A leave closes the stage, and is asked for when all
/// that has a place in it has been taken.
/// </para>
/// Members are for the core thread unless they say otherwise.
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

    // Taken by the protocol since it asked.
    private int _taken;
    private long _takenBytes;

    // Any thread's.
    private int _isSignalled;

    /// <summary>Makes the way of a group that is being joined.</summary>
    public GroupOutbox(NodeServices services, GroupCore group)
    {
        _services = services;
        _group = group;
        _stage = new SendStage(services.StageBlocks);
        PendingOptions pending = services.Options.Pending;
        // At most half of what may be pending, so that small limits of pending hold too.
        Gate = new SendGate(
            this,
            services.Waiters,
            services.Unsent,
            Math.Min(pending.MaxUnsentMessagesPerGroup, pending.MaxMessagesPerRegion / 2),
            Math.Min(pending.MaxUnsentBytesPerGroup, pending.MaxBytesPerRegion / 2));
    }

    /// <summary>Admission. Any thread.</summary>
    public SendGate Gate { get; }

    /// <summary>Messages admitted and not yet taken by the protocol.</summary>
    public long Staged => Gate.UnsentMessages;

    /// <summary>Hands over a message that the gate has admitted; copies it. Any thread; never waits.</summary>
    /// <param name="message">Of at most <see cref="SendStage.LongestMessage"/> bytes.</param>
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
        bool takesMore = true, isAnyLeft = true, isFlush = false;
        while (takesMore && isAnyLeft && !isFlush)
        {
            isAnyLeft = _stage.TryPeek(out ReadOnlySpan<byte> bytes, out object? request);
            isFlush = request is CountdownFlush;
            if (isAnyLeft && !isFlush) takesMore = Take(messages, bytes, request);
        }
        Gate.OnSent(_taken, _takenBytes);
        _group.OnFed(_taken, _takenBytes);
        _group.Touch();
        _taken = 0;
        _takenBytes = 0;
        // A flush is asked for, and a leave goes on, when this call is over and what it gave is counted.
        if (isFlush || (_drained is not null && _stage.IsDone)) Signal();
        return isAnyLeft && !isFlush;
    }

    /// <summary>The node is about to leave the group: nothing more is let in, and what has been goes first.</summary>
    /// <param name="drained">Called when the protocol has taken all of it; perhaps before this call returns.</param>
    /// <param name="now">The present instant.</param>
    public void OnLeaving(Action<Instant> drained, Instant now)
    {
        // In this order: what were let in later would be dropped, and its caller told that it was sent.
        _stage.Close();
        if (_stage.IsDone)
        {
            drained(now);
            return;
        }
        _drained = drained;
        Signal();
    }

    /// <summary>Asks for everything that was handed over to be stable. It goes through the stage itself: what has its place before it may still be in
    /// another producer's hands.</summary>
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

    /// <summary>The node's stay begins.</summary>
    public void OnAdmitted(LocalGroup local)
    {
        _local = local;
        if (!local.IsOpen) Gate.OnGateChanged(open: false);
    }

    /// <summary>The node's stay has ended, or the node has: what was under way will not be known.</summary>
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

    /// <summary>The turn has ended.</summary>
    public void OnTurnEnded()
    {
        Gate.FlushSent();
        Gate.NoteUnsent();
        _stage.ReleaseIfEmpty();
    }

    // The append before it and the look at the mark must not change places: the core lowers the mark, then looks for messages.
    private void Signal()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isSignalled) == 0 && Interlocked.Exchange(ref _isSignalled, 1) == 0) _services.Requests.Enqueue(this);
    }

    private void AskFlushes(LocalGroup local, Instant now)
    {
        while (_stage.TryPeek(out _, out object? request) && request is CountdownFlush flush)
        {
            _stage.Advance();
            flush.Ask(local, now);
        }
    }

    // Gives the protocol the message at the head of the stage; true when it takes another.
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
            // It has waited at the gate.
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
