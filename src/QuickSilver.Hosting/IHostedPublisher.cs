namespace QuickSilver.Hosting;

/// <summary>A publisher that the application opened at a hosted node at run time
/// (<see cref="IQuickSilverNode.OpenPublisherAsync(string, Action{HostedPublisherOptions}, CancellationToken)"/>), and
/// closes by itself. A dispose closes it as <see cref="MessageSender.DisposeAsync"/>. Any thread.</summary>
public interface IHostedPublisher : IQuickSilverPublisher, IAsyncDisposable
{
    /// <summary>Waits until every live member holds all messages sent, then closes the publisher, as
    /// <see cref="GroupPublisher.CloseAsync"/>, with its exceptions. It is not opened again in any case.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    Task CloseAsync(CancellationToken cancellationToken = default);
}
