using QuickSilver.Inboxes;
using QuickSilver.Runtime;
using QuickSilver.Sending;

namespace QuickSilver;

/// <summary>What a handle is, and how it ends: left, disposed of, or ended by itself. The first end stays.</summary>
public sealed partial class Group : IAsyncDisposable, ISendOwner
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private GroupCore? _core;
    private EndMark? _end;
    private LeaveOperation? _leave;
    private Task? _disposal;

    /// <summary>The node.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>The group's name.</summary>
    public string Name { get; }

    /// <summary>The newest installed view; may be ahead of what a reader has consumed.</summary>
    public GroupView View => Joined.View!;

    /// <summary>Ends with leave or dispose; faults with the reason when the handle ended by itself.</summary>
    public Task Completion => _completion.Task;

    bool ISendOwner.HasEnded => HasEnded;

    internal NodeServices Services { get; }

    internal GroupCore? Core => Volatile.Read(ref _core);

    internal bool HasEnded => Volatile.Read(ref _end) is not null;

    private bool HasBeenLeft => Volatile.Read(ref _end) is { Reason: null };

    private GroupCore Joined => Core ?? throw new InvalidOperationException("The group is not joined yet.");

    /// <summary>Waits until everything sent is held by every live member, leaves the group, and ends the readers after what they have.</summary>
    /// <param name="ct">Ends the waiting only: the group is left all the same. The exception names the members it waited for.</param>
    /// <exception cref="OperationCanceledException">The token; names whom what was sent waits for.</exception>
    /// <exception cref="ObjectDisposedException">The group has been left already.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile:
    /// whether others hold what was sent is not known.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public async ValueTask LeaveAsync(CancellationToken ct = default)
    {
        ThrowIfEnded();
        try
        {
            LeaveOperation.Begin(Node.Core, [this]);
            await Completion.WaitAsync(ct).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            throw await CancelledAsync(nameof(LeaveAsync), "The group is left in the background", Joined, null, ct).ConfigureAwait(false);
        }
    }

    /// <summary>Leaves the group after what was sent is held by every live member, or after <see cref="ShutdownOptions.DrainTimeout"/>. What nobody
    /// is reading is dropped. Never throws; again: nothing.</summary>
    public ValueTask DisposeAsync()
    {
        Task? disposal = Volatile.Read(ref _disposal);
        if (disposal is not null) return new ValueTask(disposal);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        disposal = Interlocked.CompareExchange(ref _disposal, done.Task, null);
        if (disposal is not null) return new ValueTask(disposal);
        _ = DisposeCoreAsync(done);
        return new ValueTask(done.Task);
    }

    /// <summary>"greetings at host-4242-1".</summary>
    public override string ToString() => $"{Name} at {Services.Name}";

    Exception ISendOwner.EndException() => EndException();

    internal void Bind(GroupCore core) => Volatile.Write(ref _core, core);

    /// <summary>The leave that this handle is part of; the first one stays. Any thread.</summary>
    internal LeaveOperation JoinLeave(LeaveOperation leave) => Interlocked.CompareExchange(ref _leave, leave, null) ?? leave;

    /// <summary>The handle takes no more calls. Any thread; the first reason stays.</summary>
    internal bool TryEnd(Exception? reason)
    {
        if (Interlocked.CompareExchange(ref _end, new EndMark(reason), null) is not null) return false;
        Core?.Gate.OnOwnerEnded(this);
        return true;
    }

    internal Exception EndException()
    {
        EndMark? end = Volatile.Read(ref _end);
        if (end is null && Node.StopReason is { } stopped) return stopped;
        return end?.Reason ?? new ObjectDisposedException(
            nameof(Group), $"The handle on the group '{Name}' has been left or disposed of: join the group again for another.");
    }

    /// <summary>The handle is over: readers end after what they have, and whoever follows <see cref="Completion"/> is told. Core thread;
    /// again: nothing.</summary>
    internal void Finish(Exception? reason)
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
    internal void Abandon(Exception? reason)
    {
        InboxCore.SetEnd(reason);
        Conclude(reason);
    }

    private void ThrowIfEnded()
    {
        if (HasEnded) throw EndException();
    }

    private async Task DisposeCoreAsync(TaskCompletionSource done)
    {
        try
        {
            TimeSpan drain = Services.Options.Shutdown.DrainTimeout;
            LeaveOperation leave = LeaveOperation.Begin(Node.Core, [this]);
            await leave.Task.WaitAsync(drain).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!leave.Task.IsCompleted)
            {
                // Told here, since the node that is disposed of next finds the group gone and nothing to wait for.
                if (!leave.IsFlushed && Core is { } core)
                {
                    string awaited = await Services.AskAsync(() => core.DescribeAwaited(null)).ConfigureAwait(false);
                    if (!leave.IsFlushed) Services.OnDrainTimedOut($"the group '{Name}' was disposed of", awaited);
                }
                leave.Hurry();
            }
            InboxCore.SetEnd(null);
            InboxCore.Discard();
        }
        finally
        {
            done.SetResult();
        }
    }

    private void Conclude(Exception? reason)
    {
        TryEnd(reason);
        if (reason is null) _completion.TrySetResult();
        else if (_completion.TrySetException(reason)) _ = _completion.Task.Exception;
        Services.Remove(this);
    }
}
