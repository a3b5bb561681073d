namespace QuickSilver.Hosting;

/// <summary>
/// A publisher of a hosted node, across evictions: it sends to a group, and the node is no member of it
/// (<see cref="GroupPublisher"/>). Calls wait while the node is away and the publisher is being opened again. Any
/// thread.
/// </summary>
public interface IQuickSilverPublisher : IQuickSilverSender
{
}
