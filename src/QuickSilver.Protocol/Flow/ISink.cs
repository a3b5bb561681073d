using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow;

/// <summary>Something that can send what feeds have. See <see cref="IFeed"/>.</summary>
public interface ISink
{
    /// <summary>
    /// Registers a feed's intent to send; a feed that is registered already stays where it is. The feed is asked later, never during this call.
    /// </summary>
    void Register(IFeed feed, PriorityClass priority);
}
