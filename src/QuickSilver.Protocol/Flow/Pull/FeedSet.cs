namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// The feeds registered with one sink, whichever of its rings they are in. Membership is looked up, never enumerated, so hash order decides
/// nothing. Also notes whether the feed being asked registers again meanwhile: it is about to say that it has nothing, and the call must not be
/// lost.
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

    /// <summary>The feed asked last has nothing. True when it stays all the same, because it registered again while it was asked.</summary>
    internal bool RemoveUnlessReregistered(IFeed feed)
    {
        if (!_again) _registered.Remove(feed);
        return _again;
    }
}
