using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// The top of a feed tree: one ring of feeds for each priority class, asked in turn within a class. Its owner decides
/// how much of each class is sent before the next. It may set a feed aside while the feed's train waits for the socket.
/// A feed is in one class at a time: registered again in another, it stays where it is.
/// <para>
/// A feed without a train leaves its ring, unless it registered again while it was being asked: its answer "nothing"
/// would otherwise drop that registration. O(1) per train, plus one call for each feed that turns out empty and leaves;
/// allocates nothing in steady state. Core thread only.
/// </para>
/// </summary>
internal sealed class PriorityMultiplexer : ISink
{
    // Never enumerated, so hash order cannot affect behaviour.
    private readonly HashSet<IFeed> _registered = new(ReferenceEqualityComparer.Instance);
    private readonly Ring[] _rings = new Ring[PriorityClasses.Count];
    private IFeed? _asked;
    private bool _again;

    /// <summary>Makes a multiplexer without feeds.</summary>
    public PriorityMultiplexer()
    {
        for (int index = 0; index < _rings.Length; index++) _rings[index] = new Ring();
    }

    /// <summary>True when a feed is registered and not set aside.</summary>
    public bool HasWork
    {
        get
        {
            foreach (Ring ring in _rings)
            {
                if (ring.Last is not null || ring.Waiting.Count > 0) return true;
            }
            return false;
        }
    }

    /// <inheritdoc/>
    public void Register(IFeed feed, PriorityClass priority)
    {
        if (_registered.Add(feed)) _rings[(int)priority].Waiting.Enqueue(feed);
        else if (feed == _asked) _again = true;
    }

    /// <summary>
    /// Asks the feeds of one class in turn, beginning after the one that had the last train, until one has a train;
    /// each at most once.
    /// </summary>
    /// <param name="priority">The class.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="train">The train.</param>
    /// <param name="feed">The feed that made it, which stays in its class.</param>
    public bool TryPull(PriorityClass priority, Instant now, out Train train, out IFeed feed)
    {
        Ring ring = _rings[(int)priority];
        if (ring.Last is not null) ring.Waiting.Enqueue(ring.Last);
        ring.Last = null;
        for (int remaining = ring.Waiting.Count; remaining > 0; remaining--)
        {
            feed = ring.Waiting.Dequeue();
            _asked = feed;
            _again = false;
            bool has = feed.TryPull(now, out train);
            _asked = null;
            if (has)
            {
                ring.Last = feed;
                return true;
            }
            if (_again) ring.Waiting.Enqueue(feed);
            else _registered.Remove(feed);
        }
        train = default;
        feed = null!;
        return false;
    }

    /// <summary>
    /// Sets the feed that was asked last aside: it stays registered and is not asked until <see cref="Resume"/>.
    /// </summary>
    public void Hold(IFeed feed, PriorityClass priority)
    {
        Ring ring = _rings[(int)priority];
        System.Diagnostics.Debug.Assert(ring.Last == feed, "only the feed asked last can be held");
        ring.Last = null;
    }

    /// <summary>Puts a feed that was set aside back at the end of its class.</summary>
    public void Resume(IFeed feed, PriorityClass priority) => _rings[(int)priority].Waiting.Enqueue(feed);

    // The feeds of one class: those that wait for their turn, and the one that had the last train.
    private sealed class Ring
    {
        public readonly Queue<IFeed> Waiting = new();
        public IFeed? Last;
    }
}
