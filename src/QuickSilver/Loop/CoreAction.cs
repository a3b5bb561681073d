using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>Something to be done on the core thread, for what is rare.</summary>
/// <param name="action">Does it.</param>
internal sealed class CoreAction(Action<Instant> action) : IRequestTarget
{
    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now) => action(now);
}
