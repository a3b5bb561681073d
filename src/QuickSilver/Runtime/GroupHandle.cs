using QuickSilver.Inboxes;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// One handle on a group: the implementation behind the <see cref="Group"/> that an application holds. This part holds
/// its identity and its end: left, disposed, or failed; the first end wins. Core thread only, unless a member says
/// otherwise.
/// </summary>
internal sealed partial class GroupHandle : ISendOwner
{
    private GroupCore? _core;
    private EndMark? _end;

    // What an idle handle has not; null without any of it. Once made it stays.
    private Rarities? _rare;

    /// <summary>Creates a handle that has not joined. Any thread.</summary>
    /// <param name="services">The node's services, which any thread may use.</param>
    /// <param name="name">The group's name.</param>
    /// <param name="settings">The options of the join, with the node's defaults filled in.</param>
    public GroupHandle(NodeServices services, string name, HandleSettings settings)
    {
        Services = services;
        Name = name;
        Settings = settings;
        _isShared = settings.Inbox is not null;
        if (settings.OnMessage is { } handler) Add(new InlineRegistration(this, handler, null));
        if (settings.OnBatch is { } batchHandler) Add(new InlineRegistration(this, null, batchHandler));
        _hasFirstHandler = _inline is not null;
    }

    /// <summary>The group's name. Any thread.</summary>
    public string Name { get; }

    /// <summary>True for a handle that only sends. Any thread.</summary>
    public bool IsPublisher => Settings.IsPublisher;

    /// <summary>The handle in words, for diagnostics. Any thread.</summary>
    public string What => IsPublisher ? $"the publisher of '{Name}'" : $"the group '{Name}'";

    /// <summary>What the handle shares with others of its node: one permission to send, or one membership.</summary>
    public GroupKey GroupKey => new(Name, IsPublisher);

    /// <summary>The public object that the application holds. Set once, before the join. Any thread.</summary>
    public object? Facade { get; set; }

    /// <summary>The node's services. Any thread.</summary>
    public NodeServices Services { get; }

    /// <summary>The options of the join, with the node's defaults filled in.</summary>
    public HandleSettings Settings { get; private set; }

    /// <summary>The group; null before the join has begun. Any thread.</summary>
    public GroupCore? Core => Volatile.Read(ref _core);

    StagedGroup ISendOwner.StagedGroup => Core!;

    /// <summary>True once the handle takes no more calls. Any thread.</summary>
    public bool HasEnded => Volatile.Read(ref _end) is not null;

    /// <summary>How the handle ended; null while it has not. Any thread.</summary>
    public EndMark? End => Volatile.Read(ref _end);

    /// <summary>Completes when the handle is finished; faults with the reason, if there is one. Who has met the end
    /// in another way, as a refused call or as the end of the messages, finds it completed here. Any thread; made when
    /// first asked for.</summary>
    public Task Completion
    {
        get
        {
            Rarities rare = Rare;
            TaskCompletionSource? completion = Volatile.Read(ref rare.Completion);
            if (completion is null)
            {
                var made = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                completion = Interlocked.CompareExchange(ref rare.Completion, made, null) ?? made;
            }
            // The end may not have seen the object, so it is looked at again.
            if (FinalMark is { } finish) Complete(completion, finish);
            return completion.Task;
        }
    }

    /// <summary>The dispose of the handle; null before the first call.</summary>
    public ref Task? Disposal => ref Rare.Disposal;

    // How the handle is known to end for good. A failure is final as soon as calls are refused; a leave is not, since
    // the node may be evicted meanwhile.
    private EndMark? FinalMark =>
        (Volatile.Read(ref _rare) is { } rare ? Volatile.Read(ref rare.Finish) : null)
        ?? (End is { Reason: not null } failed ? failed : null);

    private Rarities Rare =>
        Volatile.Read(ref _rare) ?? Interlocked.CompareExchange(ref _rare, new Rarities(), null) ?? _rare;

    /// <summary>Attaches the handle to its group.</summary>
    public void Bind(GroupCore core) => Volatile.Write(ref _core, core);

    /// <summary>Returns the leave that this handle is part of: the given one, or the first. Any thread.</summary>
    public LeaveOperation JoinLeave(LeaveOperation leave) =>
        Interlocked.CompareExchange(ref Rare.Leave, leave, null) ?? leave;

    /// <summary>Refuses calls from now on. Those that wait at the gate go on waiting. Any thread.</summary>
    /// <returns>False when the handle had ended already; the first reason stays.</returns>
    public bool RefuseCalls(Exception? reason) =>
        Interlocked.CompareExchange(ref _end, EndMark.Of(reason), null) is null;

    /// <summary>Refuses calls from now on, and those that wait at the gate. Any thread.</summary>
    /// <returns>False when the handle had ended already; the first reason stays.</returns>
    public bool TryEnd(Exception? reason)
    {
        if (!RefuseCalls(reason)) return false;
        Core?.OnOwnerEnded(this);
        return true;
    }

    /// <summary>The exception for calls on an ended handle. Any thread.</summary>
    public Exception EndException()
    {
        EndMark? end = Volatile.Read(ref _end);
        if (end is null && Services.Core?.StopReason is { } stopped) return stopped;
        return end?.Reason ?? (IsPublisher
            ? new ObjectDisposedException(
                nameof(GroupPublisher),
                $"The publisher of '{Name}' has been closed or disposed of, or its node has: "
                + "open another, at a node that runs.")
            : new ObjectDisposedException(
                nameof(Group),
                $"The handle on the group '{Name}' has been left or disposed of, or its node has: "
                + "join the group again for another, at a node that runs."));
    }

    /// <summary>Finishes the handle: <see cref="Completion"/> completes, then readers end after the stored messages.
    /// Further calls have no effect.</summary>
    public void Finish(Exception? reason)
    {
        _isFinished = true;
        AttachEnlisted();
        Exception? end = Conclude(reason).Reason;
        Inbox?.Close(end);
        EndLongInbox(end);
        foreach (FeedSource feed in Volatile.Read(ref _rare)?.Feeds ?? []) feed.Remove();
        _inline?.Clear();
        // What is left of the handle holds none of the application's code.
        if (_hasFirstHandler || _isShared || Settings.Key is not null)
            Settings = Settings with { OnMessage = null, OnBatch = null, Key = null, Inbox = null };
        Services.Remove(this);
    }

    /// <summary>Finishes the handle from another thread, when the core hangs or is ending. Any thread.</summary>
    public void Abandon(Exception? reason)
    {
        Exception? end = Conclude(reason).Reason;
        Inbox?.SetEnd(end);
        EndLongInbox(end);
        Services.Remove(this);
    }

    /// <summary>Finishes the handle from another thread, and drops the unread messages unless a reader is active. Any
    /// thread.</summary>
    public void Discard()
    {
        Abandon(null);
        Inbox?.Discard();
    }

    // One mark ends all: completion, calls and readers. It comes before the end of the readers, so who meets that finds
    // the completion. A thread that makes an inbox later sees the mark, or the caller sees the inbox.
    private EndMark Conclude(Exception? reason)
    {
        // A node that ends refuses calls first, and leaves those that wait at the gate to this.
        RefuseCalls(reason);
        Rarities rare = Rare;
        EndMark mark = End is { Reason: not null } failed ? failed : EndMark.Of(reason);
        mark = Interlocked.CompareExchange(ref rare.Finish, mark, null) ?? mark;
        if (Volatile.Read(ref rare.Completion) is { } completion) Complete(completion, mark);
        Core?.OnOwnerEnded(this);
        return mark;
    }

    private static void Complete(TaskCompletionSource completion, EndMark finish)
    {
        if (finish.Reason is not { } reason) completion.TrySetResult();
        else if (completion.TrySetException(reason)) _ = completion.Task.Exception;
    }

    // Fields, for interlocked calls.
    private sealed class Rarities
    {
        public TaskCompletionSource? Completion;
        public EndMark? Finish;
        public LeaveOperation? Leave;
        public Task? Disposal;
        public LongMessageInbox? LongInbox;
        public HashSet<LongMessageWriter>? Writers;

        // Core thread only.
        public FeedSource[]? Feeds;
    }
}
