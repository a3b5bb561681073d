using QuickSilver.Inboxes;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// One handle on a group that the node is in: what is behind the <see cref="Group"/> that an application holds. Here is how it ends: left, disposed
/// of, or ended by itself; the first end stays. Members are for the core thread unless they say otherwise.
/// </summary>
internal sealed partial class GroupHandle : ISendOwner
{
    private readonly NodeCore _node;
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private GroupCore? _core;
    private EndMark? _end;
    private LeaveOperation? _leave;

    /// <summary>Makes a handle that has not joined. Any thread.</summary>
    /// <param name="node">The node.</param>
    /// <param name="services">The node's.</param>
    /// <param name="name">The group's name.</param>
    /// <param name="settings">What the application wants of it.</param>
    public GroupHandle(NodeCore node, NodeServices services, string name, HandleSettings settings)
    {
        _node = node;
        Services = services;
        Name = name;
        Settings = settings;
        InboxCore = new InboxCore(this, services.Inboxes, settings.Limits);
        _inline = new InlineHandlers(this);
        if (settings.OnMessage is { } handler) _inline.Add(new InlineRegistration(this, handler, null));
        if (settings.OnBatch is { } runHandler) _inline.Add(new InlineRegistration(this, null, runHandler));
        if (_inline.IsEmpty) return;
        InboxCore.StopHolding();
        Settings = settings with { OnMessage = null, OnBatch = null };
    }

    /// <summary>The group's name. Any thread.</summary>
    public string Name { get; }

    /// <summary>The application's object. Set once, before the join; any thread.</summary>
    public object Facade { get; set; } = null!;

    /// <summary>The node's services. Any thread.</summary>
    public NodeServices Services { get; }

    /// <summary>What the application wants of it.</summary>
    public HandleSettings Settings { get; private set; }

    /// <summary>The group; null before the join has begun. Any thread.</summary>
    public GroupCore? Core => Volatile.Read(ref _core);

    /// <summary>True once it takes no more calls. Any thread.</summary>
    public bool HasEnded => Volatile.Read(ref _end) is not null;

    /// <summary>How it has ended; null while it has not. Any thread.</summary>
    public EndMark? End => Volatile.Read(ref _end);

    /// <summary>Ends when all is over; faults with the reason. Any thread.</summary>
    public Task Completion => _completion.Task;

    /// <summary>It is of a group now.</summary>
    public void Bind(GroupCore core) => Volatile.Write(ref _core, core);

    /// <summary>The leave that this handle is part of; the first one stays. Any thread.</summary>
    public LeaveOperation JoinLeave(LeaveOperation leave) => Interlocked.CompareExchange(ref _leave, leave, null) ?? leave;

    /// <summary>The handle takes no more calls. Any thread; the first reason stays.</summary>
    public bool TryEnd(Exception? reason)
    {
        if (Interlocked.CompareExchange(ref _end, new EndMark(reason), null) is not null) return false;
        Core?.Gate.OnOwnerEnded(this);
        return true;
    }

    /// <summary>What calls get from now on. Any thread.</summary>
    public Exception EndException()
    {
        EndMark? end = Volatile.Read(ref _end);
        if (end is null && _node.StopReason is { } stopped) return stopped;
        return end?.Reason ?? new ObjectDisposedException(
            nameof(Group), $"The handle on the group '{Name}' has been left or disposed of: join the group again for another.");
    }

    /// <summary>The handle is over: readers end after what they have, and whoever follows <see cref="Completion"/> is told. Core thread;
    /// again: nothing.</summary>
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

    /// <summary>As <see cref="Finish"/>, by another thread when the core hangs or is ending. Any thread.</summary>
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
