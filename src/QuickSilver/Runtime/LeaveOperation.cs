using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// One call that leaves groups. From its beginning the handles take no more calls; first it waits until what was sent is held by every live member
/// (unless hurried), then the groups whose last handle this was are left in one round of the membership. It cannot be taken back. Core thread only,
/// but for <see cref="Begin"/>, <see cref="Task"/> and <see cref="Hurry"/>.
/// </summary>
internal sealed class LeaveOperation
{
    private readonly NodeCore _node;
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<GroupHandle> _handles = [];
    private bool _isFlushed;

    private LeaveOperation(NodeCore node) => _node = node;

    /// <summary>The handles that this call ends.</summary>
    public IReadOnlyList<GroupHandle> Handles => _handles;

    /// <summary>Ends when the groups have been left, or the node's stay in the cluster has ended; each handle's completion says how.</summary>
    public Task Task => _done.Task;

    /// <summary>True once what was sent is held by every live member, or is waited for no longer. Any thread.</summary>
    public bool IsFlushed => Volatile.Read(ref _isFlushed);

    /// <summary>Begins to leave. Any thread.</summary>
    /// <returns>The leave that is to be waited for; of a single handle that is being left already, that one.</returns>
    public static LeaveOperation Begin(NodeCore node, IReadOnlyList<GroupHandle> handles)
    {
        var leave = new LeaveOperation(node);
        LeaveOperation result = leave;
        foreach (GroupHandle handle in handles)
        {
            LeaveOperation joined = handle.JoinLeave(leave);
            if (joined != leave)
            {
                if (handles.Count == 1) result = joined;
            }
            else if (handle.TryEnd(null))
            {
                leave._handles.Add(handle);
            }
        }
        if (leave._handles.Count == 0) leave._done.TrySetResult();
        else if (!node.Services.TryPost(leave.Flush)) leave.Abandon();
        return result;
    }

    /// <summary>Leaves without waiting any longer for what was sent. Any thread.</summary>
    public void Hurry() => _node.Services.TryPost(OnFlushed);

    /// <summary>The groups have been left, or the node's stay in the cluster has ended.</summary>
    public void Finish(Exception? reason)
    {
        foreach (GroupHandle handle in _handles) handle.Finish(reason);
        // Each of them knows this call, and would keep the others.
        _handles.Clear();
        _done.TrySetResult();
    }

    // The core takes nothing more, but may still be ending handles.
    private void Abandon()
    {
        foreach (GroupHandle handle in _handles) handle.Abandon(_node.StopReason);
        _done.TrySetResult();
    }

    private void Flush(Instant now)
    {
        // From here on the end of the node's stay ends the leave too: a flush that was under way then is not told.
        _node.Directory.Begin(this);
        var flush = new CountdownFlush();
        foreach (GroupHandle handle in _handles)
        {
            if (handle.Core is { } group) group.Flush(flush, now);
        }
        flush.Seal(now);
        if (flush.Task.IsCompleted) OnFlushed(now);
        else flush.Task.ContinueWith(
            static (_, state) => ((LeaveOperation)state!).Hurry(), this, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
    }

    private void OnFlushed(Instant now)
    {
        if (_isFlushed || Task.IsCompleted) return;
        Volatile.Write(ref _isFlushed, true);
        _node.Directory.Leave(this, now);
    }
}
