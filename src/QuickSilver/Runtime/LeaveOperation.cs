using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>
/// One call that leaves groups, or closes publishers. Its handles refuse calls from the beginning. The leave first
/// waits until every live member holds the messages already sent, unless hurried. Then the node leaves the groups whose
/// last handle this was, in one round of the membership for each kind. A leave cannot be cancelled. Core thread only,
/// except <see cref="Begin"/>, <see cref="Task"/> and <see cref="Hurry"/>.
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

    /// <summary>Rounds of the membership that are under way for it.</summary>
    public int Rounds { get; set; }

    /// <summary>Completes when the groups have been left, or the node has left the cluster. The completion of each
    /// handle has the outcome.</summary>
    public Task Task => _done.Task;

    /// <summary>True once every live member holds the messages already sent, or the wait was given up. Any
    /// thread.</summary>
    public bool IsFlushed => Volatile.Read(ref _isFlushed);

    /// <summary>Begins a leave of handles. Any thread.</summary>
    /// <returns>The leave to wait for. For a single handle whose leave is under way already, that one.</returns>
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

    /// <summary>Leaves now, without waiting any longer for the messages already sent. Any thread.</summary>
    public void Hurry() => _node.Services.TryPost(OnFlushed);

    /// <summary>Completes the leave when the groups have been left, or the node has left the cluster.</summary>
    public void Finish(Exception? reason)
    {
        foreach (GroupHandle handle in _handles) handle.Finish(reason);
        // Each handle refers to this call, and would keep the others in memory.
        _handles.Clear();
        _done.TrySetResult();
    }

    // The core refuses requests, but may still be ending handles.
    private void Abandon()
    {
        foreach (GroupHandle handle in _handles) handle.Abandon(_node.StopReason);
        _done.TrySetResult();
    }

    private void Flush(Instant now)
    {
        // From here on, the end of the node ends the leave too: a flush under way would not complete.
        _node.Changes.Begin(this);
        var flush = new CountdownFlush();
        foreach (GroupHandle handle in _handles)
        {
            handle.GiveUpWriters();
            if (handle.Core is { } group) group.Flush(flush, now);
        }
        flush.Seal(now);
        if (flush.Task.IsCompleted)
        {
            OnFlushed(now);
            return;
        }
        flush.Task.ContinueWith(
            static (_, state) => ((LeaveOperation)state!).Hurry(),
            this,
            CancellationToken.None,
            TaskContinuationOptions.None,
            TaskScheduler.Default);
    }

    private void OnFlushed(Instant now)
    {
        if (_isFlushed || Task.IsCompleted) return;
        Volatile.Write(ref _isFlushed, true);
        _node.Changes.Leave(this, now);
    }
}
