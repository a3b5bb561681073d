using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow;

/// <summary>
/// Many feeds as one: a sink for its children and a feed to its parent. Children are asked in turn, each up to a quota; one that has nothing is
/// dropped and registers again when that changes. The multiplexer is registered with its parent exactly while it has children. O(1) per train,
/// allocates nothing in steady state, core thread only. Source: second paper, section 4, Figures 9 and 10.
/// </summary>
public sealed class RoundRobinMultiplexer : IFeed, ISink
{
    private readonly ISink _parent;
    private readonly PriorityClass _priority;
    private readonly FeedRing _ring;
    private bool _registered;

    /// <summary>Makes a multiplexer without children.</summary>
    /// <param name="parent">Asks the multiplexer.</param>
    /// <param name="priority">The class in which it registers there; that of its children is ignored.</param>
    /// <param name="quota">Trains from one child before the next is asked.</param>
    public RoundRobinMultiplexer(ISink parent, PriorityClass priority, int quota = 1)
    {
        ArgumentNullException.ThrowIfNull(parent);
        ArgumentOutOfRangeException.ThrowIfLessThan(quota, 1);
        _parent = parent;
        _priority = priority;
        _ring = new FeedRing(new FeedSet(), quota);
    }

    /// <summary>Children that are registered now.</summary>
    public int Count => _ring.Count;

    /// <inheritdoc/>
    public void Register(IFeed feed, PriorityClass priority)
    {
        _ring.Add(feed);
        RegisterWithParent();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        _registered = true;
        if (_ring.TryPull(now, out train, out _)) return true;
        _registered = false;
        if (_ring.Count > 0) RegisterWithParent();
        return false;
    }

    private void RegisterWithParent()
    {
        if (_registered) return;
        _registered = true;
        _parent.Register(this, _priority);
    }
}
