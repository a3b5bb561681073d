using System.Diagnostics;
using System.Runtime.CompilerServices;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// Carries the messages that an application sends with calls to the groups of one way, from its threads to the
/// protocol.
/// <para>
/// Idea: admitted messages of all groups wait in one stage. The protocol takes them from there as from a feed, straight
/// into a packet, when it can send; what waits of one group it takes together. A message with a ticket, or one too long
/// to be copied again, is passed with its buffer. A request signals the core; one request serves all messages until the
/// core has seen it. So a message of the next group costs what a message of the same group costs, apart from the
/// group's own records.
/// </para>
/// <para>
/// Awkward cases. A barrier of the core (<see cref="StageBarrier"/>) is an entry of the stage, because another producer
/// may still be filling an entry before it. The protocol counts messages only after the call that took them. A barrier
/// at the head of the stage therefore ends that call, and is reached in the next. A group that goes another way than
/// the lane is moved with all its entries and waiters (<see cref="Outboxes.Move"/>).
/// </para>
/// <para>
/// The outbox of ordered groups keeps the order among groups: their outlet takes one message at a time, which is the
/// first of the stage. None of them moves. So a message to several is one entry, in the place of the first, and what
/// was sent to any of them before has gone before.
/// </para>
/// Core thread only, unless a member says otherwise.
/// </summary>
internal sealed class Outbox : IRequestTarget, ISendQueue, ILaneSource
{
    private const long AdvanceRequest = 1;
    private const int LongestExamined = 512;

    // Bytes after the present message whose memory is asked for: it was not written for milliseconds.
    private const int StoresAhead = 1024;

    private readonly NodeServices _services;
    private readonly Outboxes _all;
    private readonly SendStage _stage;
    private SharedLane? _lane;
    private bool _isTouched;

    // The group found last, and its next entry; none once another group's turn has come.
    private GroupCore? _found;
    private StagePosition _next;

    // The groups besides, of a message to several.
    private readonly List<GroupSender> _others = [];

    // Taken by the protocol in the present call of Write.
    private int _taken;
    private long _takenBytes;

    // Any thread: 1 while a request is on its way to the core.
    private int _isSignalled;

    /// <summary>Creates an empty outbox.</summary>
    /// <param name="services">The node's services.</param>
    /// <param name="all">The node's outboxes.</param>
    /// <param name="isWaiting">True when it is for groups that wait for a step.</param>
    /// <param name="keepsOrder">True when it is for ordered groups.</param>
    public Outbox(NodeServices services, Outboxes all, bool isWaiting, bool keepsOrder)
    {
        _services = services;
        _all = all;
        IsWaiting = isWaiting;
        KeepsOrder = keepsOrder;
        _stage = new SendStage(services.StageBlocks);
        PendingOptions pending = services.Options.Pending;
        // At most half of the limits of pending messages, so that small ones hold too.
        Gate = new SendGate(
            this,
            services.Waiters,
            services.Unsent,
            Math.Min(pending.MaxUnsentMessagesPerRegion, pending.MaxMessagesPerRegion / 2),
            Math.Min(pending.MaxUnsentBytesPerRegion, pending.MaxBytesPerRegion / 2),
            pending.MaxWaitingCallsPerRegion);
    }

    /// <summary>Admits or delays sends. Any thread.</summary>
    public SendGate Gate { get; }

    /// <summary>The protocol's side.</summary>
    public SharedLane Lane => _lane ??= _all.OpenLane(this);

    /// <summary>How many groups send here.</summary>
    public int Groups { get; set; }

    /// <summary>The stage, for the moves of groups.</summary>
    public SendStage Stage => _stage;

    /// <inheritdoc/>
    public bool IsWaiting { get; }

    /// <inheritdoc/>
    public bool KeepsOrder { get; }

    /// <inheritdoc/>
    public IReadOnlyList<GroupSender> Others => _others;

    /// <summary>Begins with a new protocol of the node.</summary>
    public void OnStackBuilt() => _lane = null;

    /// <inheritdoc/>
    public bool Serves(StagedGroup group) => group.Stage == _stage;

    /// <summary>Copies a message that the gate has admitted into the stage. Any thread; never waits.</summary>
    /// <param name="group">The group.</param>
    /// <param name="message">At most <see cref="SendStage.LongestMessage"/> bytes.</param>
    /// <returns>False when the group's messages do not enter here.</returns>
    public bool TryEnqueue(StagedGroup group, ReadOnlySpan<byte> message)
    {
        if (!_stage.TryAppend(group, message)) return false;
        Signal();
        return true;
    }

    /// <inheritdoc/>
    public bool TryEnqueue(StagedGroup group, object request)
    {
        bool isTaken = request is PooledPayload { Owners: { } owners }
            ? _stage.TryAppend(owners, request) : _stage.TryAppend(group, request);
        if (!isTaken) return false;
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

    /// <summary>Puts a barrier behind all messages that were admitted so far.</summary>
    public void Append(GroupCore? group, StageBarrier barrier)
    {
        _services.CheckCoreThread();
        _stage.Append(group, default, barrier);
        Signal();
    }

    /// <summary>Puts a message behind all that were admitted so far, whatever the limits are.</summary>
    public void Append(GroupCore group, PooledPayload message)
    {
        _services.CheckCoreThread();
        Gate.Charge(1, message.Length);
        _stage.Append(group, default, message);
        Signal();
    }

    /// <summary>Ends the outbox, which no group sends through any more. What is left in the stage are barriers and
    /// places that were given up: the next turn passes over them.</summary>
    public void Close()
    {
        _services.CheckCoreThread();
        _lane?.Close();
        Gate.OnGone();
        if (!_stage.IsEmpty) Signal();
    }

    /// <summary>True when a group may have messages here. Examines a short stage, and takes a long one for one that
    /// has.</summary>
    public bool MayHold(GroupCore group)
    {
        _services.CheckCoreThread();
        if (_stage.IsEmpty) return false;
        if (Gate.UnsentMessages > LongestExamined || _stage.Start is not { } at) return true;
        bool isEnd;
        while (_stage.TryLook(ref at, out StageEntry entry, out isEnd))
        {
            if (ReferenceEquals(entry.Group, group)) return true;
            if (Array.Exists(OwnersOf(entry), owner => ReferenceEquals(owner.StagedGroup, group))) return true;
        }
        return !isEnd;
    }

    /// <summary>The tickets of messages that the protocol has not taken. O(unsent messages).</summary>
    public List<(GroupCore Group, ConfirmTicket Ticket)> FindTickets()
    {
        _services.CheckCoreThread();
        var found = new List<(GroupCore, ConfirmTicket)>();
        if (_stage.Start is not { } at) return found;
        while (_stage.TryLook(ref at, out StageEntry entry, out _))
        {
            if (entry.Request is ConfirmTicket ticket) found.Add((GroupOf(entry), ticket));
        }
        return found;
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        _services.CheckCoreThread();
        if (argument == AdvanceRequest)
        {
            Gate.AdvanceFromCore();
            Touch();
            return;
        }
        Interlocked.Exchange(ref _isSignalled, 0);
        Gate.NoteUnsent();
        Touch();
        if (FindNext(now) is not null) Lane.Signal(now);
    }

    /// <inheritdoc/>
    public GroupSender? FindNext(Instant now)
    {
        _services.CheckCoreThread();
        _found = null;
        while (_stage.TryPeek(out StageEntry entry))
        {
            if (entry.Request is StageBarrier barrier)
            {
                _stage.Advance();
                barrier.Reach(now);
            }
            else if (GroupOf(entry).Sender is { } sender && TryFindOthers(entry))
            {
                _stage.LookAhead();
                _found = GroupOf(entry);
                _next = _stage.Gather();
                return sender;
            }
            else
            {
                Drop(entry);
                _stage.Advance();
            }
        }
        return null;
    }

    /// <inheritdoc/>
    public bool HasAlike
    {
        get
        {
            StagePosition at = _next;
            return _found is { } group
                && _stage.TryFollow(ref at, group, out StageEntry second) && second.Request is null
                && _next.Block.TryRead(_next.Slot, out StageEntry first) && first.Request is null
                && second.Message.Length == first.Message.Length;
        }
    }

    /// <inheritdoc/>
    public bool Write(GroupSender group, MessageWriter messages)
    {
        _services.CheckCoreThread();
        GroupCore? core = _found;
        if (core is not null && core.Sender == group)
        {
            if (messages.TryGetBatchRoom(out Span<byte> room, out int length)) TakeAlike(core, messages, room, length);
            else TakeOne(core, messages);
        }
        if (_taken > 0)
        {
            Gate.OnSent(_taken, _takenBytes);
            core!.OnFed(_taken, _takenBytes);
            Touch();
            _taken = 0;
            _takenBytes = 0;
        }
        bool hasMore = _stage.TryPeek(out StageEntry entry);
        // A barrier is reached after the protocol has counted the messages of this call.
        if (hasMore && entry.Request is StageBarrier) Signal();
        return hasMore;
    }

    /// <inheritdoc/>
    public SharedLane? Divert(GroupSender group, SharedLane? other, bool waits, Instant now)
    {
        _services.CheckCoreThread();
        bool any = _stage.TryPeek(out StageEntry entry);
        Debug.Assert(!KeepsOrder && any && GroupOf(entry).Sender == group, "not the group that was found");
        if (_all.Move(GroupOf(entry), this, other?.Source as Outbox, waits, now) is { } to) return to.Lane;
        Signal();
        return null;
    }

    /// <inheritdoc/>
    public void OnGateChanged(bool open, Instant now) => Gate.OnGateChanged(open);

    /// <summary>Gives up all entries: their calls fail with the reason.</summary>
    public void DropAll(Exception reason)
    {
        _services.CheckCoreThread();
        _found = null;
        while (_stage.TryPeek(out StageEntry entry))
        {
            if (entry.Request is StageBarrier barrier) barrier.Fail(reason);
            else Drop(entry, reason);
            _stage.Advance();
        }
        _stage.ReleaseIfEmpty();
        Gate.FlushSent();
        Gate.OnGone();
    }

    /// <summary>Updates the gate and releases spare memory at the end of a turn.</summary>
    public void OnTurnEnded()
    {
        _services.CheckCoreThread();
        _isTouched = false;
        Gate.FlushSent();
        Gate.NoteUnsent();
        _stage.ReleaseIfEmpty();
    }

    // Of a message to several groups; none for one.
    private static ISendOwner[] OwnersOf(in StageEntry entry) => (entry.Request as PooledPayload)?.Owners ?? [];

    private static GroupCore GroupOf(in StageEntry entry) => Unsafe.As<GroupCore>(entry.Group!);

    // False when one of the groups is gone: then the message goes to none.
    private bool TryFindOthers(in StageEntry entry)
    {
        _others.Clear();
        ISendOwner[] owners = OwnersOf(entry);
        for (int index = 1; index < owners.Length; index++)
        {
            if (((GroupCore)owners[index].StagedGroup).Sender is not { } sender) return false;
            _others.Add(sender);
        }
        return true;
    }

    private void Touch()
    {
        if (_isTouched) return;
        _isTouched = true;
        _all.Touch(this);
    }

    // The fence orders the append before the read of the flag: the core clears the flag, then looks for messages.
    private void Signal()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isSignalled) == 0 && Interlocked.Exchange(ref _isSignalled, 1) == 0)
            _services.Requests.Enqueue(this);
    }

    // Writes the group's next messages side by side, as long as they have the length.
    private void TakeAlike(GroupCore group, MessageWriter messages, Span<byte> room, int length)
    {
        StagePosition at = _next;
        bool any = at.Block.TryRead(at.Slot, out StageEntry entry);
        int offset = 0;
        while (any && entry.Request is null && entry.Message.Length == length && offset <= room.Length - length)
        {
            entry.Message.CopyTo(room[offset..]);
            offset += length;
            CacheLines.Fetch(room, offset + StoresAhead);
            any = TakeNext(group, ref at, out entry);
        }
        _next = at;
        if (!any) _found = null;
        if (offset == 0) return;
        _taken += offset / length;
        _takenBytes += offset;
        messages.EndMessages(offset / length);
    }

    // Passes the group's next message to the protocol.
    private void TakeOne(GroupCore group, MessageWriter messages)
    {
        StagePosition at = _next;
        if (!at.Block.TryRead(at.Slot, out StageEntry entry)) return;
        _taken++;
        int length = entry.Message.Length;
        object? request = entry.Request;
        if (request is null)
        {
            _takenBytes += length;
            entry.Message.CopyTo(messages.GetSpan(length));
        }
        if (!TakeNext(group, ref at, out _)) _found = null;
        _next = at;
        if (request is not null)
        {
            Pass(group, messages, request);
            return;
        }
        messages.Advance(length);
        messages.EndMessage();
    }

    // Removes an entry and finds the group's next.
    private bool TakeNext(GroupCore group, scoped ref StagePosition at, out StageEntry next)
    {
        StagePosition taken = at;
        bool any = _stage.TryFollow(ref at, group, out next);
        _stage.Take(taken);
        return any;
    }

    private void Pass(GroupCore group, MessageWriter messages, object request)
    {
        var ticket = request as ConfirmTicket;
        PooledPayload payload = ticket?.Payload ?? (PooledPayload)request;
        _takenBytes += payload.Length;
        if (payload.Owners is { } owners)
        {
            for (int index = 1; index < owners.Length; index++)
                ((GroupCore)owners[index].StagedGroup).OnFed(1, payload.Length);
            payload.Owners = null;
        }
        bool isPlain = ticket is null && !payload.IsPiece && payload.Traits.IsNone;
        if (isPlain && payload.Length <= SendStage.LongestMessage)
        {
            // A short message has its own buffer when its sender waited at the gate.
            payload.Span.CopyTo(messages.GetSpan(payload.Length));
            messages.Advance(payload.Length);
            payload.Release();
            messages.EndMessage();
            return;
        }
        if (ticket is not null) group.Follow(ticket);
        messages.Hand(payload, ticket, payload.IsPiece);
    }

    private void Drop(in StageEntry entry, Exception? reason = null)
    {
        reason ??= GroupOf(entry).GoneReason;
        var ticket = entry.Request as ConfirmTicket;
        PooledPayload? payload = ticket?.Payload ?? entry.Request as PooledPayload;
        payload?.Owners = null;
        Gate.OnSent(1, payload?.Length ?? entry.Message.Length);
        payload?.Return();
        ticket?.Fail(reason);
        Touch();
    }
}
