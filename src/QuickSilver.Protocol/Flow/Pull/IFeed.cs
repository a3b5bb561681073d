using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// Something that may have datagrams to send. It registers the intent with a <see cref="ISink"/> and is asked for what it has, made at that moment,
/// only when the socket at the root of the tree can send it. Source: second paper, section 4, Figures 9 and 10.
/// </summary>
public interface IFeed
{
    /// <summary>
    /// Makes the next train, or says that there is nothing (or nothing that policy allows) now. After false the feed is no longer registered, and
    /// registers again when that changes.
    /// </summary>
    /// <param name="now">The present instant.</param>
    /// <param name="train">The train: memory that stays valid until the next call on this feed.</param>
    bool TryPull(Instant now, out Train train);
}
