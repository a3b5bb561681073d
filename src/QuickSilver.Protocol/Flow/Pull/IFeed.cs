using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// A component that may have datagrams to send. It registers its intent with a <see cref="ISink"/>. The sink asks for
/// datagrams only when the socket at the root of the tree can send them, and the feed makes them then. Source: second
/// paper, section 4, Figures 9 and 10.
/// </summary>
internal interface IFeed
{
    /// <summary>
    /// Makes the next train, or returns false when there is nothing to send, or nothing that policy allows, now. After
    /// false the feed is not registered any longer, and registers again when that changes.
    /// </summary>
    /// <param name="now">The present instant.</param>
    /// <param name="train">The train: memory that stays valid until the next call on this feed.</param>
    bool TryPull(Instant now, out Train train);
}
