using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>A feed registered with a group. See <see cref="Group.RegisterFeed"/>.</summary>
public sealed class FeedRegistration : IDisposable
{
    private readonly NodeServices _services;
    private readonly FeedSource _source;

    internal FeedRegistration(NodeServices services, FeedSource source)
    {
        _services = services;
        _source = source;
    }

    /// <summary>Says that the feed has something to send; the first call starts it. Any thread; calls before the feed is asked
    /// are one. Allocates nothing.</summary>
    public void Signal() => _source.Signal(_services.Requests);

    /// <summary>
    /// Says that the feed will have something: it is asked again when the time has come, by a timer of the core thread's own, so that a source with a
    /// pace (a clock, a replay, a game's ticks) needs no thread and no timer beside it. Best called by the feed itself before it answers that it has
    /// nothing yet. Any thread; each call replaces the one before, and <see cref="Signal"/> changes nothing about it. Allocates nothing.
    /// </summary>
    /// <param name="delay">How long from now, in steps of 100 ns; not positive: as <see cref="Signal"/>. What is due while the core is busy is asked
    /// late, never early: a source that keeps its own instants catches up by itself.</param>
    public void SignalAfter(TimeSpan delay)
    {
        if (delay > TimeSpan.Zero) _source.SignalAfter(_services, delay);
        else Signal();
    }

    /// <summary>Takes the feed out. Off the core thread it may be asked once more by a turn that has begun. Again, or after the end
    /// of the handle: nothing.</summary>
    public void Dispose()
    {
        if (_services.IsCoreThread) _source.Remove();
        else _services.TryPost(_ => _source.Remove());
    }
}
