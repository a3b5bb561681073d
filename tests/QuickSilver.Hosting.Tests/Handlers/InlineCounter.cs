namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>Counts messages inline.</summary>
internal sealed class InlineCounter : IInlineMessageHandler
{
    public int Count;

    public void Handle(in MessageRef message) => Interlocked.Increment(ref Count);
}
