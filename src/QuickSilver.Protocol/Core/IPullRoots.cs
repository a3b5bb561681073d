namespace QuickSilver.Protocol.Core;

/// <summary>The roots of the feed trees: what the loop asks, last in a turn, for something to send.</summary>
public interface IPullRoots
{
    /// <summary>
    /// Lets every root that can send pull from its tree: control first, then repairs within their budget, then at least one train of data.
    /// </summary>
    /// <returns>How many datagrams were sent.</returns>
    int PullAll(Instant now);

    /// <summary>
    /// Lets what must not wait be sent in the middle of a turn: tokens, acknowledgements and requests, within the budget of a turn, nothing else.
    /// Roots without such classes do nothing.
    /// </summary>
    /// <returns>How many datagrams were sent.</returns>
    int PullControl(Instant now) => 0;

    /// <summary>True when something registered could be sent at once, so that the loop must not sleep.</summary>
    bool HasWork { get; }
}
