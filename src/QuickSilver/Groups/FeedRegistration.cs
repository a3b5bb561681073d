using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>A feed registered with a group. See <see cref="GroupSender.RegisterFeed"/>.</summary>
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

    /// <summary>Takes the feed out. Off the core thread it may be asked once more by a turn that has begun. Again, or after the end
    /// of the handle: nothing.</summary>
    public void Dispose()
    {
        if (_services.IsCoreThread) _source.Remove();
        else _services.TryPost(_ => _source.Remove());
    }
}
