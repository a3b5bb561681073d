namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>Fails at one message.</summary>
internal sealed class FragileHandler(Seen seen) : IMessageHandler
{
    public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
    {
        seen.Handlers.Add(this);
        seen.Texts.Enqueue(message.GetString());
        return message.GetString() == "50" ? throw new InvalidOperationException("fifty") : default;
    }
}
