namespace QuickSilver.Hosting;

/// <summary>A publisher of values of a hosted node, across evictions; otherwise as
/// <see cref="IQuickSilverPublisher"/>. Any thread.</summary>
/// <typeparam name="T">Type of the values.</typeparam>
public interface IQuickSilverPublisher<T> : IQuickSilverSender<T>
{
    /// <summary>The publisher, for all that needs no values.</summary>
    IQuickSilverPublisher Raw { get; }
}
