using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>Something that can send what feeds have. See <see cref="IFeed"/>.</summary>
public interface ISink
{
    /// <summary>
    /// Registers a feed's intent to send; a feed that is registered already stays where it is. The feed is asked later, never during this call.
    /// </summary>
    void Register(IFeed feed, PriorityClass priority);

    /// <summary>
    /// Drops the feed's train, if one waits for a full socket: its memory and its channel are about to go. The feed may be asked once more. A sink
    /// that keeps no trains has nothing to do.
    /// </summary>
    void DropKept(IFeed feed)
    {
    }
}
