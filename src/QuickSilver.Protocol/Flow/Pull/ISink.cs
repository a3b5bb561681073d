using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>A component that sends the datagrams of feeds. See <see cref="IFeed"/>.</summary>
internal interface ISink
{
    /// <summary>
    /// Registers a feed's intent to send; a feed that is registered already stays where it is. The feed is asked later,
    /// never during this call.
    /// </summary>
    void Register(IFeed feed, PriorityClass priority);

    /// <summary>
    /// Drops the feed's train, if one waits for a full socket: its memory and its channel are about to be freed. The
    /// feed may be asked once more. A sink that keeps no trains does nothing.
    /// </summary>
    void DropKept(IFeed feed)
    {
    }
}
