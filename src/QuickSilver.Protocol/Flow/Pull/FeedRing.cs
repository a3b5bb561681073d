using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// Registered feeds, asked in turn, each for one train. A feed without a train leaves the ring, unless it registered
/// again while it was being asked. O(1) per train, plus one call for each feed that turns out empty and leaves;
/// allocates nothing once it has grown.
/// </summary>
/// <param name="set">The registered feeds, here or in another ring that shares the set.</param>
internal sealed class FeedRing(FeedSet set)
{
    private readonly Queue<IFeed> _waiting = new();
    private IFeed? _last;

    /// <summary>Feeds in the ring.</summary>
    internal int Count => _waiting.Count + (_last is null ? 0 : 1);

    /// <summary>Adds a feed at the end; one that is registered stays where it is.</summary>
    internal void Add(IFeed feed)
    {
        if (set.Add(feed)) _waiting.Enqueue(feed);
    }

    /// <summary>
    /// Asks feeds in turn, beginning after the one that had the last train, until one has a train; each at most once.
    /// </summary>
    /// <param name="now">The present instant.</param>
    /// <param name="train">The train.</param>
    /// <param name="feed">Its feed, which stays in the ring.</param>
    internal bool TryPull(Instant now, out Train train, out IFeed feed)
    {
        if (_last is not null) _waiting.Enqueue(_last);
        _last = null;
        for (int remaining = _waiting.Count; remaining > 0; remaining--)
        {
            feed = _waiting.Dequeue();
            set.BeginAsking(feed);
            bool has = feed.TryPull(now, out train);
            set.EndAsking();
            if (has)
            {
                _last = feed;
                return true;
            }
            if (set.RemoveUnlessReregistered(feed)) _waiting.Enqueue(feed);
        }
        train = default;
        feed = null!;
        return false;
    }

    /// <summary>
    /// Takes the feed that was asked last out of the ring, though it stays registered, until <see cref="PutBack"/>.
    /// </summary>
    internal void Hold(IFeed feed)
    {
        System.Diagnostics.Debug.Assert(_last == feed, "only the feed asked last can be held");
        _last = null;
    }

    /// <summary>Puts a held feed back, at the end.</summary>
    internal void PutBack(IFeed feed) => _waiting.Enqueue(feed);
}
