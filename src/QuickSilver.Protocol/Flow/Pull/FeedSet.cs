namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// The feeds registered with one sink, in any of its rings. Never enumerated, so hash order cannot affect behaviour.
/// Also detects a feed that registers again while it is being asked: its answer "nothing" would otherwise drop that
/// registration.
/// </summary>
internal sealed class FeedSet
{
    private readonly HashSet<IFeed> _registered = new(ReferenceEqualityComparer.Instance);
    private IFeed? _asked;
    private bool _again;

    /// <summary>Adds a feed; false when it is registered already.</summary>
    internal bool Add(IFeed feed)
    {
        if (_registered.Add(feed)) return true;
        if (feed == _asked) _again = true;
        return false;
    }

    internal void BeginAsking(IFeed feed)
    {
        _asked = feed;
        _again = false;
    }

    internal void EndAsking() => _asked = null;

    /// <summary>
    /// Removes the feed asked last, which has nothing. True when it stays because it registered again while it was
    /// asked.
    /// </summary>
    internal bool RemoveUnlessReregistered(IFeed feed)
    {
        if (!_again) _registered.Remove(feed);
        return _again;
    }
}
