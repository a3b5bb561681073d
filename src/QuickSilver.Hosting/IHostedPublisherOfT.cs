namespace QuickSilver.Hosting;

/// <summary>A publisher of values that the application opened at a hosted node at run time, and closes by itself;
/// otherwise as <see cref="IHostedPublisher"/>. Any thread.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IHostedPublisher<T> : IQuickSilverPublisher<T>, IAsyncDisposable
{
    /// <summary>Closes the publisher, as <see cref="IHostedPublisher.CloseAsync"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    Task CloseAsync(CancellationToken cancellationToken = default);
}
