namespace QuickSilver.Protocol.Core;

/// <summary>The roots of the feed trees: at the end of a turn the loop asks them for datagrams to send.</summary>
internal interface IPullRoots
{
    /// <summary>
    /// Lets every root that can send pull from its tree: control first, then repairs within their budget, then at least
    /// one train of data.
    /// </summary>
    /// <returns>How many datagrams were sent.</returns>
    int PullAll(Instant now);

    /// <summary>
    /// Sends urgent datagrams in the middle of a turn: tokens, acknowledgements and requests, within the budget of a
    /// turn, nothing else. Roots without these classes do nothing.
    /// </summary>
    /// <returns>How many datagrams were sent.</returns>
    int PullControl(Instant now) => 0;

    /// <summary>True when something registered could be sent at once, so that the loop must not sleep.</summary>
    bool HasWork { get; }
}
