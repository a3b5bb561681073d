namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>Records that it was disposed.</summary>
internal sealed class DisposableHandler(Seen seen) : IMessageHandler, IAsyncDisposable
{
    public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
    {
        seen.Texts.Enqueue(message.GetString());
        return default;
    }

    public ValueTask DisposeAsync()
    {
        seen.Texts.Enqueue("disposed");
        return default;
    }
}
