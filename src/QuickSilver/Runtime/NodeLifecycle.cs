using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>
/// The state of a node, and the cause of its end. The core thread and the disposing thread write it; any thread reads
/// it.
/// </summary>
/// <param name="name">The node's name.</param>
/// <param name="log">The node's log.</param>
/// <param name="events">The node's events.</param>
/// <param name="reporter">Holds the last trouble with the membership server.</param>
internal sealed class NodeLifecycle(string name, NodeLog log, NodeEventQueue events, NodeReporter reporter)
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _registered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<QuickSilverException?> _stopping =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private MemberId _id;
    private NodeState _state;

    /// <summary>Holds the last trouble with the membership server.</summary>
    public NodeReporter Reporter { get; } = reporter;

    /// <summary>The node's address and incarnation; empty before the cluster has admitted it.</summary>
    public MemberId Id
    {
        get
        {
            lock (_lock) return _id;
        }
    }

    /// <summary>The present state.</summary>
    public NodeState State
    {
        get
        {
            lock (_lock) return _state;
        }
    }

    /// <summary>Completes when the cluster has admitted the node for the first time.</summary>
    public Task Registered => _registered.Task;

    /// <summary>Completes when the node begins to stop; the result is the failure, or null after a request.</summary>
    public Task<QuickSilverException?> Stopping => _stopping.Task;

    /// <summary>Completes when the node has stopped; faults with the failure, if there is one.</summary>
    public Task Completion => _completion.Task;

    /// <summary>The failure that stops the node; null while there is none.</summary>
    public QuickSilverException? StopReason => _stopping.Task.IsCompletedSuccessfully ? _stopping.Task.Result : null;

    /// <summary>Notes that the cluster has admitted the node.</summary>
    /// <param name="id">The node's address and incarnation.</param>
    /// <param name="before">The identity of its previous admission; null the first time.</param>
    public void OnRegistered(MemberId id, MemberId? before)
    {
        lock (_lock) _id = id;
        bool isReturn = before is { } old && old != id;
        string reason = before is null
            ? "admitted to the cluster"
            : isReturn
            ? "back after an eviction"
            : "known to the membership server again";
        Change(NodeState.Running, reason);
        _registered.TrySetResult();
        if (!isReturn) return;
        log.Post((name, id), static (logger, s) => Log.Rejoined(logger, s.name, s.id.ToString()));
        events.Post(new NodeRejoined(before!.Value, id));
    }

    /// <summary>Notes that the connection to the membership server was lost or restored.</summary>
    public void OnConnectionChanged(bool connected)
    {
        if (State is not (NodeState.Running or NodeState.WaitingForMajority or NodeState.MembershipLost)) return;
        if (connected) Change(NodeState.Running, "the membership server is back");
        else Change(
            NodeState.MembershipLost,
            Reporter.LastTrouble is { Length: > 0 } trouble ? trouble : "the connection to its server has ended");
    }

    /// <summary>Notes that a hold of the membership server has begun or ended.</summary>
    public void OnHold(MembershipHold hold)
    {
        if (State is not (NodeState.Running or NodeState.WaitingForMajority)) return;
        if (hold.Reason == HoldReason.None)
            Change(NodeState.Running, "the membership server has the members it waited for");
        else if (State == NodeState.Running)
        {
            Change(NodeState.WaitingForMajority, $"the membership server removes nobody and waits: {hold}");
            log.Post((name, Hold: hold.ToString()), static (logger, s) => Log.MembershipHeld(logger, s.name, s.Hold));
        }
    }

    /// <summary>Notes that the cluster has evicted the node.</summary>
    public void OnEvicted(string reason)
    {
        Change(NodeState.Evicted, reason);
        log.Post((name, reason), static (logger, s) => Log.Evicted(logger, s.name, s.reason));
    }

    /// <summary>Begins to stop the node, on request (null) or because of a failure. The first call wins.</summary>
    public void Stop(QuickSilverException? reason)
    {
        if (!_stopping.TrySetResult(reason)) return;
        Change(NodeState.Stopping, reason?.Message ?? "disposed of");
        if (reason is not null) _registered.TrySetException(reason);
        else _registered.TrySetCanceled();
        _ = _registered.Task.Exception;
    }

    /// <summary>Notes that the node has stopped; <see cref="Complete"/> follows.</summary>
    public void OnStopped()
    {
        QuickSilverException? reason = StopReason;
        Change(NodeState.Stopped, reason?.Message ?? "disposed of");
        if (reason is null) log.Post(name, static (logger, s) => Log.NodeStopped(logger, s));
        else if (!_registered.Task.IsCompletedSuccessfully && reason.Code != ErrorCode.Internal)
        {
            // The start throws the reason.
            log.Post(
                (name, reason.Message), static (logger, s) => Log.NodeNotAdmitted(logger, s.name, s.Message));
        }
        else log.Post((name, reason), static (logger, s) => Log.NodeFailed(logger, s.name, s.reason));
    }

    /// <summary>Completes <see cref="Completion"/>: nothing of the node runs any more.</summary>
    public void Complete()
    {
        if (StopReason is not { } reason)
        {
            _completion.TrySetResult();
            return;
        }
        _completion.TrySetException(reason);
        _ = _completion.Task.Exception;
    }

    private void Change(NodeState state, string reason)
    {
        NodeState before;
        lock (_lock)
        {
            before = _state;
            if (before == state
                || (before is NodeState.Stopping && state != NodeState.Stopped)
                || before == NodeState.Stopped)
                return;
            _state = state;
            // Posted within the lock to keep the events in the order of the states; no user code runs here.
            events.Post(new NodeStateChanged(before, state, reason));
        }
    }
}
