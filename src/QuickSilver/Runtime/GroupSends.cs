using System.Buffers;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// What a node's application sends to one group with calls, on its way from their threads to the protocol.
/// <para>
/// Idea: admitted messages wait in a stage, and the protocol takes them from there as from a feed: when they could be sent, straight into a packet.
/// A request tells the core that there is something, one until the core has seen it.
/// </para>
/// <para>
/// Awkward cases. A message with a ticket, or too long to be copied once more, is admitted to the protocol as it is, and with it all that was sent
/// before; what was sent after it stays in the stage until those are bound, so the order holds. So it is for a flush, which has to know of all
/// messages before it, and for a leave. In a group without other members what is admitted is delivered and done with at once, and handlers may answer
/// it: so no more is admitted in one go than was there at its beginning.
/// </para>
/// Members are for the core thread unless they say otherwise.
/// </summary>
internal sealed class GroupSends : IRequestTarget, ISendQueue, IMessageSource
{
    private const long AdvanceRequest = 1;

    private readonly NodeServices _services;
    private readonly GroupCore _group;
    private readonly SendStage _stage;
    private HashSet<ConfirmTicket>? _tickets;
    private LocalGroup? _local;
    private Exception? _goneReason;
    private bool _isSource;

    // Given to the protocol and not yet packed: unsent for the gate, pending for the protocol.
    private long _unpacked;

    // Flushes that are in the stage.
    private int _flushes;

    // Written since the protocol asked.
    private int _written;
    private long _writtenBytes;

    // Any thread's.
    private int _isSignalled;
    private int _mustAdmit;

    /// <summary>Makes the way of a group that is being joined.</summary>
    public GroupSends(NodeServices services, GroupCore group)
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
            Math.Min(pending.MaxUnsentMessages, pending.MaxMessages / 2),
            Math.Min(pending.MaxUnsentBytes, pending.MaxBytes / 2));
    }

    /// <summary>Admission. Any thread.</summary>
    public SendGate Gate { get; }

    /// <summary>Messages admitted and not yet given to the protocol.</summary>
    public long Staged => Gate.UnsentMessages - _unpacked;

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
        if (!TryAppend(request)) return false;
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
        if (_local is not { IsLeaving: false } local)
        {
            AdmitAll(now);
            return;
        }
        long left = MostStaged;
        for (; left > 0 && Volatile.Read(ref _mustAdmit) > 0 && TryAdmitNext(now); left--) continue;
        if (left == 0 && Volatile.Read(ref _mustAdmit) > 0) Signal();
        if (!_isSource) local.AddSource(this);
        _isSource = true;
        local.Signal(this, now);
    }

    /// <inheritdoc/>
    public bool TryWriteNext(IBufferWriter<byte> message)
    {
        if (!_stage.TryPeek(out ReadOnlySpan<byte> bytes, out object? request)) return false;
        if (request is not null && MustBeAdmitted(request))
        {
            Signal();
            return false;
        }
        var payload = request as PooledPayload;
        if (payload is not null) bytes = payload.Span;
        bytes.CopyTo(message.GetSpan(bytes.Length));
        message.Advance(bytes.Length);
        _written++;
        _writtenBytes += bytes.Length;
        _stage.Advance();
        payload?.Release();
        return true;
    }

    /// <inheritdoc/>
    public bool Write(MessageWriter messages)
    {
        if (_local is not { IsLeaving: false } local) return false;
        // What was admitted before goes first.
        if (!local.IsDrained) return true;
        bool isAnyLeft;
        do
        {
            isAnyLeft = TryWriteNext(messages);
        }
        while (isAnyLeft && messages.EndMessage());
        Gate.OnSent(_written, _writtenBytes);
        _group.OnFed(_written, _writtenBytes);
        _group.Touch();
        _written = 0;
        _writtenBytes = 0;
        return isAnyLeft;
    }

    /// <summary>The node leaves the group: nothing more is let in, and what has been goes first.</summary>
    public void OnLeaving(Instant now)
    {
        // In this order: what were let in later would be dropped, and its caller told that it was sent.
        _stage.Close();
        AdmitAll(now);
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
        if (!TryAppend(flush)) return false;
        flush.Expect();
        _flushes++;
        AdmitAll(now);
        _group.Touch();
        return true;
    }

    /// <inheritdoc/>
    public void OnPacked(int bytes)
    {
        _unpacked--;
        Gate.OnSent(1, bytes);
        _group.Touch();
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
        if (_isSource) _local?.RemoveSource(this);
        _isSource = false;
        _local = null;
        _stage.Close();
        while (_stage.TryPeek(out ReadOnlySpan<byte> message, out object? request)) Drop(message, request);
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

    // At least as many as are in the stage now.
    private long MostStaged => Staged + _flushes;

    // What has waited at the gate comes as an object too.
    private static bool MustBeAdmitted(object request) => request is not PooledPayload { Length: <= SendStage.LongestMessage };

    // The append before it and the look at the mark must not change places: the core lowers the mark, then looks for messages.
    private void Signal()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isSignalled) == 0 && Interlocked.Exchange(ref _isSignalled, 1) == 0) _services.Requests.Enqueue(this);
    }

    private bool TryAppend(object request)
    {
        bool mustBeAdmitted = MustBeAdmitted(request);
        if (mustBeAdmitted) Interlocked.Increment(ref _mustAdmit);
        if (_stage.TryAppend(request)) return true;
        if (mustBeAdmitted) Interlocked.Decrement(ref _mustAdmit);
        return false;
    }

    // Gives what has been handed over to the protocol, which knows of it from here on. What comes meanwhile, from other threads or from handlers that
    // answer, is for the next turn.
    private void AdmitAll(Instant now)
    {
        for (long left = MostStaged; left > 0 && TryAdmitNext(now); left--) continue;
    }

    private bool TryAdmitNext(Instant now)
    {
        if (!_stage.TryPeek(out ReadOnlySpan<byte> message, out object? request)) return false;
        if (_local is not { IsLeaving: false } local)
        {
            Drop(message, request);
            return true;
        }
        if (request is CountdownFlush flush)
        {
            Advance(request);
            flush.Ask(local, now);
            return true;
        }
        var ticket = request as ConfirmTicket;
        PooledPayload payload = ticket?.Payload ?? request as PooledPayload ?? _services.SendBuffers.Copy(message);
        Advance(request);
        payload.Taker = this;
        _unpacked++;
        _group.OnFed(1, payload.Length);
        if (ticket is not null)
        {
            ticket.Unstable = _tickets ??= [];
            _tickets.Add(ticket);
        }
        local.Send(payload, ticket, now);
        return true;
    }

    private void Drop(ReadOnlySpan<byte> message, object? request)
    {
        Exception reason = _goneReason ?? _group.LeftReason();
        if (request is CountdownFlush flush)
        {
            Advance(request);
            flush.Fail(reason);
            return;
        }
        var ticket = request as ConfirmTicket;
        PooledPayload? payload = ticket?.Payload ?? request as PooledPayload;
        Gate.OnSent(1, payload?.Length ?? message.Length);
        Advance(request);
        payload?.Return();
        ticket?.Fail(reason);
        _group.Touch();
    }

    private void Advance(object? request)
    {
        _stage.Advance();
        if (request is CountdownFlush) _flushes--;
        if (request is not null && MustBeAdmitted(request)) Interlocked.Decrement(ref _mustAdmit);
    }
}
