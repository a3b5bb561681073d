namespace QuickSilver.Runtime;

/// <summary>One call of <see cref="MessageSender.WaitForMembersAsync"/>.</summary>
/// <param name="handle">The handle that waits.</param>
/// <param name="count">The number of members to wait for.</param>
internal sealed class MemberWait(GroupHandle handle, int count)
{
    private readonly TaskCompletionSource<GroupView> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The handle that waits.</summary>
    public GroupHandle Handle { get; } = handle;

    /// <summary>The number of members to wait for.</summary>
    public int Count { get; } = count;

    /// <summary>True when the call has completed, failed or been cancelled.</summary>
    public bool IsOver => _done.Task.IsCompleted;

    /// <summary>Completes with the view that has enough members.</summary>
    public Task<GroupView> Task => _done.Task;

    /// <summary>Completes the call with a view of enough members.</summary>
    public void Succeed(GroupView view) => _done.TrySetResult(view);

    /// <summary>Fails the call: the handle has ended first.</summary>
    public void Fail(Exception reason) => _done.TrySetException(reason);

    /// <summary>Cancels the call.</summary>
    public void Cancel(CancellationToken cancellationToken) => _done.TrySetCanceled(cancellationToken);
}
