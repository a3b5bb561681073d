namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>Takes a moment for each message.</summary>
internal sealed class SlowHandler(Seen seen) : IMessageHandler
{
    public async ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
    {
        await Task.Delay(1, cancellationToken);
        seen.Texts.Enqueue(message.GetString());
    }
}
