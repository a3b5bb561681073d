namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>Fails at every message.</summary>
internal sealed class BrokenHandler : IMessageHandler
{
    public ValueTask HandleAsync(Message message, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("broken");
}
