namespace QuickSilver.Hosting;

/// <summary>A group that the application joined at a hosted node at run time
/// (<see cref="IQuickSilverNode.JoinAsync(string, Action{HostedGroupOptions}, CancellationToken)"/>), and leaves by
/// itself. A dispose leaves it as <see cref="MessageSender.DisposeAsync"/>. Any thread.</summary>
public interface IHostedGroup : IQuickSilverGroup, IAsyncDisposable
{
    /// <summary>Waits until every live member holds all messages sent, then leaves the group, as
    /// <see cref="Group.LeaveAsync"/>, with its exceptions. It is not joined again in any case.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    Task LeaveAsync(CancellationToken cancellationToken = default);
}
