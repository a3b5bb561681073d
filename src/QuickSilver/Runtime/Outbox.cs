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
internal sealed partial class Outbox : IRequestTarget, ISendQueue, ILaneSource
{
    private const long AdvanceRequest = 1;
    private const int LongestExamined = 512;

    private readonly NodeServices _services;
    private readonly Outboxes _all;
    private readonly SendStage _stage;
    private SharedLane? _lane;
    private bool _isTouched;

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
