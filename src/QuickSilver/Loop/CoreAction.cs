using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>A request that runs a delegate on the core thread; it allocates, so it is for rare events.</summary>
/// <param name="action">Called with the instant of the turn.</param>
internal sealed class CoreAction(Action<Instant> action) : IRequestTarget
{
    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now) => action(now);
}
