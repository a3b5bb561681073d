namespace QuickSilver.Hosting;

/// <summary>A group of values that the application joined at a hosted node at run time, and leaves by itself; otherwise
/// as <see cref="IHostedGroup"/>. Any thread.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IHostedGroup<T> : IQuickSilverGroup<T>, IAsyncDisposable
{
    /// <summary>Leaves the group, as <see cref="IHostedGroup.LeaveAsync"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    Task LeaveAsync(CancellationToken cancellationToken = default);
}
