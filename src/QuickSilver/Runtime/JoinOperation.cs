using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;

namespace QuickSilver.Runtime;

/// <summary>
/// One call that joins groups, or opens publishers, all or none. It begins when no other call is joining or leaving one
/// of its groups. It is never interrupted: a call that is cancelled or times out fails at once. Its effect is undone
/// when the protocol has completed it. Core thread only, except <see cref="Task"/>, <see cref="Names"/> and
/// <see cref="Cancel"/>.
/// </summary>
internal sealed class JoinOperation
{
    private readonly NodeCore _node;
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Alarm? _deadline;
    private bool _isAdmitted;

    /// <summary>Creates a join that has not begun. Any thread.</summary>
    /// <param name="node">The node that joins.</param>
    /// <param name="handles">The handles, one for each name.</param>
    public JoinOperation(NodeCore node, GroupHandle[] handles)
    {
        _node = node;
        Handles = handles;
        ModeSettings = Options.ToSettings();
    }

    /// <summary>The handles, one for each name.</summary>
    public GroupHandle[] Handles { get; }

    /// <summary>The groups in words, for diagnostics.</summary>
    public string Names =>
        Handles.Length == 1 ? $"'{Handles[0].Name}'" : $"{Handles.Length} groups, '{Handles[0].Name}' first,";

    /// <summary>The call in words, for diagnostics.</summary>
    public string What => IsPublisher ? $"opening of the publisher of {Names}" : $"join of {Names}";

    /// <summary>True when it opens publishers.</summary>
    public bool IsPublisher => Handles[0].IsPublisher;

    /// <summary>The mode of the groups.</summary>
    public GroupMode Mode => Options.Kind;

    /// <summary>What the engine of the groups' mode is told; null for a mode without one.</summary>
    public ModeSettings? ModeSettings { get; }

    /// <summary>True for groups with multicast addresses of their own.</summary>
    public bool Hybrid => Options.IsHybrid;

    private ModeOptions Options => Handles[0].Settings.Mode;

    /// <summary>Completes when the join succeeds; faults when it fails.</summary>
    public Task Task => _done.Task;

    /// <summary>True once nobody waits for the join any more: its effect is undone.</summary>
    public bool IsOver => _done.Task.IsCompleted;

    /// <summary>Starts the join, or queues it behind other calls on its groups; its deadline runs from now.</summary>
    public void Start(Instant now)
    {
        if (IsOver)
        {
            foreach (GroupHandle handle in Handles) handle.Finish(null);
            return;
        }
        _deadline = new Alarm(_node.Alarms, OnDeadline);
        _deadline.Set(now + _node.Services.Options.Membership.JoinTimeout);
        _node.Changes.Start(this, now);
    }

    /// <summary>Notes that a group has admitted the node.</summary>
    public void OnAdmitted() => _isAdmitted = true;

    /// <summary>Completes the join.</summary>
    public void Succeed()
    {
        _deadline?.Cancel();
        _done.TrySetResult();
    }

    /// <summary>Fails the join and ends its handles.</summary>
    public void Fail(Exception reason)
    {
        _deadline?.Cancel();
        foreach (GroupHandle handle in Handles) handle.Finish(reason);
        _ = TryFail(reason);
    }

    /// <summary>Cancels the caller's wait; the join itself is undone when it completes. Any thread.</summary>
    public void Cancel(CancellationToken cancellationToken)
    {
        if (!_done.TrySetCanceled(cancellationToken)) return;
        _node.Services.TryPost(_ =>
        {
            _deadline?.Cancel();
            _node.Changes.Forget(this);
        });
    }

    /// <summary>Describes what the join waits for, and the remedy, in sentences. Core thread only.</summary>
    public string DescribeTrouble()
    {
        if (!_node.IsConnected)
        {
            return $"{_node.DescribeMembership()}. Data goes on in the groups that are joined; "
                + "join again when State is Running.";
        }
        if (_node.Stack.JoinsWaitFor is { Stage: JoinStage.Survivors } missing)
        {
            return $"{missing}. A server that has taken over waits for them: start them again under these names. "
                + "If they are gone for good, call ForgetMemberAsync on the node that serves the membership, "
                + "or set its Membership.AwaitMajority to false.";
        }
        if (_node.Stack.JoinsWaitFor is { } wait)
        {
            return $"{wait}. A node that is frozen or out of reach holds joins up until it answers "
                + "or is removed (Membership.FailureTimeout): "
                + "look after it, then join again.";
        }
        return _isAdmitted
            ? "the node is in, but not every sender has switched to the view yet. Join again, or allow more time."
            : "the membership server has not let the node in yet. Join again, or allow more time.";
    }

    private void OnDeadline(Instant now)
    {
        TimeSpan limit = _node.Services.Options.Membership.JoinTimeout;
        // A program whose join fails ends, and the server that others need with it.
        if (_node.OthersServed is > 0 and int others)
        {
            _node.Services.OnOwnCallLate(What, DescribeTrouble(), others);
            _deadline!.Set(now + limit);
            return;
        }
        var reason = new QuickSilverException(
            ErrorCode.JoinTimedOut,
            $"The {What} took longer than Membership.JoinTimeout ({limit}): {DescribeTrouble()} "
            + "What it brought about is undone.")
        {
            Diagnostics = _node.Describe(null),
        };
        if (TryFail(reason)) _node.Changes.Forget(this);
    }

    // The caller may have left already, with its own exception.
    private bool TryFail(Exception reason)
    {
        if (!_done.TrySetException(reason)) return false;
        _ = _done.Task.Exception;
        return true;
    }
}
