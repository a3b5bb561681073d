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
    private readonly NodeCore _node;
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private GroupCore? _core;
    private EndMark? _end;
    private LeaveOperation? _leave;

    /// <summary>Creates a handle that has not joined. Any thread.</summary>
    /// <param name="node">The node whose core serves the handle.</param>
    /// <param name="services">The node's services, which any thread may use.</param>
    /// <param name="name">The group's name.</param>
    /// <param name="settings">The options of the join, with the node's defaults filled in.</param>
    public GroupHandle(NodeCore node, NodeServices services, string name, HandleSettings settings)
    {
        _node = node;
        Services = services;
        Name = name;
        Settings = settings;
        InboxCore = new InboxCore(this, services.Inboxes, settings.Limits);
        _inline = new InlineHandlers(this);
        if (settings.OnMessage is { } handler) _inline.Add(new InlineRegistration(this, handler, null));
        if (settings.OnBatch is { } batchHandler) _inline.Add(new InlineRegistration(this, null, batchHandler));
        if (_inline.IsEmpty) return;
        InboxCore.StopHolding();
        Settings = settings with { OnMessage = null, OnBatch = null };
    }

    /// <summary>The group's name. Any thread.</summary>
    public string Name { get; }

    /// <summary>The public object that the application holds. Set once, before the join. Any thread.</summary>
    public object Facade { get; set; } = null!;

    /// <summary>The node's services. Any thread.</summary>
    public NodeServices Services { get; }

    /// <summary>The options of the join, with the node's defaults filled in.</summary>
    public HandleSettings Settings { get; private set; }

    /// <summary>The group; null before the join has begun. Any thread.</summary>
    public GroupCore? Core => Volatile.Read(ref _core);

    /// <summary>True once the handle takes no more calls. Any thread.</summary>
    public bool HasEnded => Volatile.Read(ref _end) is not null;

    /// <summary>How the handle ended; null while it has not. Any thread.</summary>
    public EndMark? End => Volatile.Read(ref _end);

    /// <summary>Completes when the handle is finished; faults with the reason, if there is one. Any thread.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Attaches the handle to its group.</summary>
    public void Bind(GroupCore core) => Volatile.Write(ref _core, core);

    /// <summary>Returns the leave that this handle is part of: the given one, or the first. Any thread.</summary>
    public LeaveOperation JoinLeave(LeaveOperation leave) =>
        Interlocked.CompareExchange(ref _leave, leave, null) ?? leave;

    /// <summary>Refuses calls from now on. Any thread.</summary>
    /// <returns>False when the handle had ended already; the first reason stays.</returns>
    public bool TryEnd(Exception? reason)
    {
        if (Interlocked.CompareExchange(ref _end, new EndMark(reason), null) is not null) return false;
        Core?.Gate.OnOwnerEnded(this);
        return true;
    }

    /// <summary>The exception for calls on an ended handle. Any thread.</summary>
    public Exception EndException()
    {
        EndMark? end = Volatile.Read(ref _end);
        if (end is null && _node.StopReason is { } stopped) return stopped;
        return end?.Reason ?? new ObjectDisposedException(
            nameof(Group),
            $"The handle on the group '{Name}' has been left or disposed of: join the group again for another.");
    }

    /// <summary>Finishes the handle: readers end after the stored messages, and <see cref="Completion"/> completes.
    /// Further calls have no effect.</summary>
    public void Finish(Exception? reason)
    {
        _isFinished = true;
        AttachEnlisted();
        InboxCore.Close(reason);
        foreach (FeedSource feed in _feeds) feed.Remove();
        _inline.Clear();
        if (Settings.Key is not null) Settings = Settings with { Key = null };
        Conclude(reason);
    }

    /// <summary>Finishes the handle from another thread, when the core hangs or is ending. Any thread.</summary>
    public void Abandon(Exception? reason)
    {
        InboxCore.SetEnd(reason);
        Conclude(reason);
    }

    private void Conclude(Exception? reason)
    {
        TryEnd(reason);
        if (reason is null) _completion.TrySetResult();
        else if (_completion.TrySetException(reason)) _ = _completion.Task.Exception;
        Services.Remove(this);
    }
}
