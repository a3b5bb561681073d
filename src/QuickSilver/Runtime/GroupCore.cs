using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// One node's membership in one group, shared by all handles on it: the gate and the way of what it sends, what the protocol says about the group,
/// and who is to hear of it. Members are for the core thread unless they say otherwise.
/// </summary>
internal sealed class GroupCore : IGroupListener
{
    private readonly NodeCore _node;
    private List<MemberWait>? _memberWaits;
    private GroupHandle[] _handles = [];
    private GroupView? _view;
    private bool _isTouched;

    /// <summary>Makes a group that is being joined.</summary>
    public GroupCore(NodeCore node, string name, GroupMode mode)
    {
        _node = node;
        Name = name;
        Mode = mode;
        Sends = new GroupOutbox(node.Services, this);
    }

    /// <summary>The group's name. Any thread.</summary>
    public string Name { get; }

    /// <summary>The group's mode. Any thread.</summary>
    public GroupMode Mode { get; }

    /// <summary>What the application sends with calls.</summary>
    public GroupOutbox Sends { get; }

    /// <summary>Admission. Any thread.</summary>
    public SendGate Gate => Sends.Gate;

    /// <summary>The node's services. Any thread.</summary>
    public NodeServices Services => _node.Services;

    /// <summary>The node's timers.</summary>
    public AlarmQueue Alarms => _node.Alarms;

    /// <summary>The newest installed view. Any thread; null before the first.</summary>
    public GroupView? View => Volatile.Read(ref _view);

    /// <summary>Figures of the group, read by other threads only through the node.</summary>
    public GroupFigures Figures { get; } = new();

    /// <summary>Where the node stands with the group.</summary>
    public GroupState State { get; set; }

    /// <summary>The protocol's end; null before the stay has begun and after it has ended.</summary>
    public LocalGroup? Local { get; private set; }

    /// <summary>Messages admitted, and not known to be held by every member, or not even sent.</summary>
    public long Unconfirmed => Sends.Staged + (Local?.PendingMessages ?? 0);

    /// <summary>The handles, in the order of their joins.</summary>
    public IReadOnlyList<GroupHandle> Handles => _handles;

    /// <summary>True when calls wait for members.</summary>
    public bool HasMemberWaits => _memberWaits is { Count: > 0 };

    /// <summary>Adds a handle: from now on it hears everything.</summary>
    public void Attach(GroupHandle handle)
    {
        _handles = [.. _handles, handle];
        handle.Bind(this);
        if (_view is not { } view) return;
        handle.InboxCore.OnViewChanged(view);
        Touch();
    }

    /// <summary>Takes a handle out: it hears nothing more.</summary>
    public void Detach(GroupHandle handle)
    {
        _handles = Array.FindAll(_handles, other => !ReferenceEquals(other, handle));
        _memberWaits?.RemoveAll(wait =>
        {
            bool isMine = ReferenceEquals(wait.Handle, handle);
            if (isMine) wait.Fail(handle.EndException());
            return isMine;
        });
    }

    /// <summary>The node's stay begins.</summary>
    public void OnAdmitted(LocalGroup local, Instant now)
    {
        Local = local;
        Sends.OnAdmitted(local);
        OnViewChanged(now);
    }

    /// <summary>Asks to be told when all that was sent is stable.</summary>
    /// <returns>False when the group is being left, or gone.</returns>
    public bool Flush(CountdownFlush flush, Instant now) => Local is { IsLeaving: false } && Sends.Flush(flush, now);

    /// <summary>The node is about to leave the group: what was sent goes first.</summary>
    /// <param name="drained">Called when the protocol has taken it; perhaps before this call returns.</param>
    /// <param name="now">The present instant.</param>
    public void OnLeaving(Action<Instant> drained, Instant now)
    {
        State = GroupState.Leaving;
        Sends.OnLeaving(drained, now);
    }

    /// <summary>The node's stay has ended, or the node has: what was under way will not be known.</summary>
    public void OnGone(Exception reason)
    {
        State = GroupState.Gone;
        Local = null;
        Sends.OnGone(reason);
        foreach (MemberWait wait in _memberWaits ?? []) wait.Fail(reason);
        _memberWaits = null;
    }

    /// <inheritdoc/>
    public void OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now)
    {
        Figures.MessagesReceived += run.Count;
        Figures.BytesReceived += run.TotalLength;
        bool isOwn = ReferenceEquals(sender, _node.Self);
        foreach (GroupHandle handle in _handles)
        {
            if (!isOwn || handle.Settings.SelfDelivery) Deliver(handle, sender, run);
        }
        Touch();
    }

    // A handle for which there is no memory is failed; others, and the node, go on.
    private void Deliver(GroupHandle handle, NodeInfo sender, in DeliveryBatch run)
    {
        try
        {
            handle.Deliver(sender, run);
        }
        catch (OutOfMemoryException fault)
        {
            handle.InboxCore.GiveUp();
            OnNoMemory(handle, fault);
        }
    }

    private void OnNoMemory(GroupHandle handle, OutOfMemoryException fault)
    {
        Services.Log.Post((_node.Services.Name, Name), static (logger, s) => Log.NoMemoryForGroup(logger, s.Item1, s.Item2));
        _node.FailLater(handle, new QuickSilverException(
            ErrorCode.OutOfMemory,
            $"There was no memory for a message of '{Name}', whose handle has left the group; what was unread is given up. Read quicker, lower "
            + "Delivery.InboxMaxBytes, Delivery.InboxMaxBytesPerNode and Recovery.CacheBytes, or allow the process a larger heap, then join again.",
            fault));
    }

    /// <inheritdoc/>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now)
    {
        const LossReason Reason = LossReason.SenderFailed;
        Figures.MessagesLost += (long)Math.Max(1, count);
        foreach (GroupHandle handle in _handles) handle.InboxCore.OnLoss(sender, first, count, Reason);
        Touch();
        if (!Figures.BeginsEpisode(Reason, Services.Clock.Now)) return;
        Services.Log.Post(
            (Sender: sender.Name, Name, First: first, Count: count, Reason),
            static (logger, s) => Log.MessagesLost(logger, s.Sender, s.Name, s.Count, s.First, s.Reason));
        Services.Events.Post(new LossReported(Name, new MemberId(sender), count, Reason));
    }

    /// <summary>An inbox has dropped a message.</summary>
    public void OnDropped(NodeInfo sender, LossReason reason)
    {
        Figures.MessagesDropped++;
        _node.MessagesDropped++;
        if (!Figures.BeginsEpisode(reason, Services.Clock.Now)) return;
        Services.Log.Post((Name, Reason: reason), static (logger, s) => Log.InboxDrops(logger, s.Name, s.Reason));
        Services.Events.Post(new LossReported(Name, new MemberId(sender), 1, reason));
    }

    /// <summary>An inbox is full under <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public void OnOverflow(GroupHandle handle, long backlog, long leasedBytes)
    {
        _node.SlowConsumers++;
        Services.Log.Post(
            (Name, Backlog: backlog, Leased: leasedBytes), static (logger, s) => Log.SlowConsumer(logger, s.Name, s.Backlog, s.Leased));
        // Leases that nobody ends are the likelier cause where they take more of the room than what is unread.
        bool isByLeases = leasedBytes > handle.InboxCore.Bytes / 2;
        string cause = isByLeases
            ? $"The inbox of '{Name}' was full of {leasedBytes} bytes in leases that have not been disposed of"
            : $"The reader of '{Name}' is too slow: {backlog} messages were unread when the inbox was full";
        string remedy = isByLeases
            ? "Dispose of each MessageLease as soon as it has been used (using)"
            : "Read quicker (ReadLeasedAsync copies nothing)";
        var reason = new SlowConsumerException(
            ErrorCode.SlowConsumer,
            $"{cause}, and its policy is FailGroup. The handle has left the group; what is stored can still be read. {remedy}, "
            + "allow more (InboxMaxMessages, InboxMaxBytes) or choose an OverflowPolicy that drops, then join again.")
        {
            GroupName = Name,
            Backlog = backlog,
            LeasedBytes = leasedBytes,
            Diagnostics = _node.Describe(this),
        };
        _node.FailLater(handle, reason);
    }

    /// <inheritdoc/>
    public void OnGateChanged(bool open, Instant now) => Gate.OnGateChanged(open);

    /// <inheritdoc/>
    public void OnViewChanged(Instant now)
    {
        if (Local is not { } local) return;
        var view = new GroupView(Name, local.View, Mode, [.. local.Regions], _node.IsInMemory);
        Volatile.Write(ref _view, view);
        _node.OnViewChanged(view);
        foreach (GroupHandle handle in _handles) handle.InboxCore.OnViewChanged(view);
        Touch();
        CheckMemberWaits();
    }

    /// <summary>Senders of this node may have switched to another view.</summary>
    public void CheckMemberWaits()
    {
        if (!HasMemberWaits || Local is not { } local || _view is not { } view) return;
        int members = local.SendMemberCount;
        _memberWaits!.RemoveAll(wait =>
        {
            bool isDone = wait.IsOver || members >= wait.Count;
            if (isDone) wait.Succeed(view);
            return isDone;
        });
    }

    /// <summary>A call waits for members.</summary>
    public void Add(MemberWait wait)
    {
        if (wait.Handle.HasEnded)
        {
            wait.Fail(wait.Handle.EndException());
            return;
        }
        (_memberWaits ??= []).Add(wait);
        CheckMemberWaits();
        if (HasMemberWaits) _node.Directory.Watch(this);
    }

    /// <summary>Whom messages wait for, in words.</summary>
    /// <param name="ticket">The one message that is meant; null: all that are not known to be held.</param>
    public string DescribeAwaited(ConfirmTicket? ticket) =>
        Local is { } local ? AwaitedText.Of(_node.Stack, [local], ticket, Services.Clock.Now) : "nobody: the group is gone";

    /// <summary>Messages of the application go to the protocol.</summary>
    public void OnFed(int messages, long bytes)
    {
        Figures.MessagesSent += messages;
        Figures.BytesSent += bytes;
    }

    /// <summary>Messages go to inline handlers.</summary>
    public void OnHandled(int messages) => _node.MessagesHandled += messages;

    /// <summary>User code has thrown.</summary>
    public void OnUserFault(GroupHandle handle, Exception fault) => _node.OnUserFault(this, handle, fault);

    /// <summary>User code is about to be called on the core thread; <see cref="LeaveUserCode"/> must follow.</summary>
    public void EnterUserCode(LoopPhase phase) => Services.UserCode.Enter(phase, Name);

    /// <summary>It has come back.</summary>
    /// <param name="calls">How often it was called.</param>
    public void LeaveUserCode(int calls = 1) => Services.UserCode.Leave(calls);

    /// <summary>Something has to be done at the end of the turn.</summary>
    public void Touch()
    {
        if (_isTouched) return;
        _isTouched = true;
        _node.Touched.Add(this);
    }

    /// <summary>Shows readers and senders what the turn has brought.</summary>
    public void OnTurnEnded()
    {
        _isTouched = false;
        Sends.OnTurnEnded();
        foreach (GroupHandle handle in _handles)
        {
            if (handle.InboxCore.IsTouched) handle.InboxCore.Publish();
        }
    }

    /// <summary>What calls get that were under way when the group was left.</summary>
    public ObjectDisposedException LeftReason() =>
        new(nameof(Group), $"The group '{Name}' was left before every member was known to hold what was sent.");
}
