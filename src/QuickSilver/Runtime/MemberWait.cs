namespace QuickSilver.Runtime;

/// <summary>One call of <see cref="Group.WaitForMembersAsync"/>.</summary>
/// <param name="handle">Who waits.</param>
/// <param name="count">For how many members.</param>
internal sealed class MemberWait(GroupHandle handle, int count)
{
    private readonly TaskCompletionSource<GroupView> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Who waits.</summary>
    public GroupHandle Handle { get; } = handle;

    /// <summary>For how many members.</summary>
    public int Count { get; } = count;

    /// <summary>True when nobody waits any more.</summary>
    public bool IsOver => _done.Task.IsCompleted;

    /// <summary>The view.</summary>
    public Task<GroupView> Task => _done.Task;

    /// <summary>There are as many.</summary>
    public void Succeed(GroupView view) => _done.TrySetResult(view);

    /// <summary>There will not be.</summary>
    public void Fail(Exception reason) => _done.TrySetException(reason);

    /// <summary>Nobody waits any more.</summary>
    public void Cancel(CancellationToken cancellationToken) => _done.TrySetCanceled(cancellationToken);
}
