using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>The registration of a feed with a group. See
/// <see cref="MessageSender.RegisterFeed(IMessageFeed)"/>.</summary>
public sealed class FeedRegistration : IDisposable
{
    private readonly NodeServices _services;
    private readonly FeedSource _source;

    internal FeedRegistration(NodeServices services, FeedSource source)
    {
        _services = services;
        _source = source;
    }

    /// <summary>Announces that the feed has messages to send; the first call starts the feed. Any thread. Calls before
    /// the feed is asked are merged into one. Allocates nothing.</summary>
    public void Signal() => _source.Signal(_services.Requests);

    /// <summary>
    /// Asks the feed again after a delay, by a timer of the core thread. A source with a pace of its own (a clock, a
    /// replay, a game's ticks) then needs neither a thread nor a timer. Best called by the feed itself, before it
    /// answers that it has no message. Any thread. Each call replaces the previous one; <see cref="Signal"/> is
    /// independent of it. Allocates nothing.
    /// </summary>
    /// <param name="delay">Time from now, in steps of 100 ns. Zero or less acts like <see cref="Signal"/>. The feed is
    /// asked late while the core is busy, never early. A source that keeps its own due times therefore catches up by
    /// itself.</param>
    public void SignalAfter(TimeSpan delay)
    {
        if (delay > TimeSpan.Zero) _source.SignalAfter(_services, delay);
        else Signal();
    }

    /// <summary>Unregisters the feed. Called off the core thread, a turn in progress may ask the feed once more. No
    /// effect when repeated or after the end of the handle.</summary>
    public void Dispose()
    {
        if (_services.IsCoreThread) _source.Remove();
        else _services.TryPost(_ => _source.Remove());
    }
}
