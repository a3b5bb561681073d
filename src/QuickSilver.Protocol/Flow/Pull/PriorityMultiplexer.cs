using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// The top of a feed tree: one ring of feeds for each priority class, asked in turn within a class. Its owner decides
/// how much of each class is sent before the next. It may set a feed aside while the feed's train waits for the socket.
/// A feed is in one class at a time: registered again in another, it stays where it is. O(1) per train, allocates
/// nothing in steady state, core thread only.
/// </summary>
public sealed class PriorityMultiplexer : ISink
{
    private readonly FeedRing[] _rings = new FeedRing[PriorityClasses.Count];

    /// <summary>Makes a multiplexer without feeds.</summary>
    public PriorityMultiplexer()
    {
        var set = new FeedSet();
        for (int index = 0; index < _rings.Length; index++) _rings[index] = new FeedRing(set);
    }

    /// <summary>True when a feed is registered and not set aside.</summary>
    public bool HasWork
    {
        get
        {
            foreach (FeedRing ring in _rings)
            {
                if (ring.Count > 0) return true;
            }
            return false;
        }
    }

    /// <inheritdoc/>
    public void Register(IFeed feed, PriorityClass priority) => _rings[(int)priority].Add(feed);

    /// <summary>Asks the feeds of one class in turn until one has a train.</summary>
    /// <param name="priority">The class.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="train">The train.</param>
    /// <param name="feed">The feed that made it.</param>
    public bool TryPull(PriorityClass priority, Instant now, out Train train, out IFeed feed) =>
        _rings[(int)priority].TryPull(now, out train, out feed);

    /// <summary>
    /// Sets the feed that was asked last aside: it stays registered and is not asked until <see cref="Resume"/>.
    /// </summary>
    public void Hold(IFeed feed, PriorityClass priority) => _rings[(int)priority].Hold(feed);

    /// <summary>Puts a feed that was set aside back at the end of its class.</summary>
    public void Resume(IFeed feed, PriorityClass priority) => _rings[(int)priority].PutBack(feed);
}
