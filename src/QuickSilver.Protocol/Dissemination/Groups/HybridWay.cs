using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The way of a hybrid group's messages that lie in one packet for several regions, as groups and streams see it. The
/// group adds its messages here instead of to the regions' buffers; a stream that takes part tells when it has room.
/// Core thread only.
/// </summary>
internal abstract class HybridWay
{
    /// <summary>True when no message waits.</summary>
    public abstract bool IsEmpty { get; }

    /// <summary>Where lanes wait while too many messages of the group do.</summary>
    public abstract RegionBuffer Line { get; }

    /// <summary>
    /// Decides which regions take part, unless messages wait for the ones that do. O(regions).
    /// </summary>
    /// <returns>True when messages may be added now.</returns>
    public abstract bool TryChoose(Route route, ReadOnlySpan<int> groupIndexes);

    /// <summary>True when a stream takes part.</summary>
    public abstract bool Has(StreamMessages stream);

    /// <summary>Adds a message that is bound, and counted in the accounts of all streams that take part.</summary>
    public abstract void Append(OutgoingMessage message);

    /// <summary>True when a message of a group waits; with a ticket, the ticket's.</summary>
    public abstract bool Holds(GroupLedger group, SendTicket? ticket);

    /// <summary>A stream that takes part may have room again.</summary>
    public abstract void OnUnblocked();

    /// <summary>
    /// A stream has nobody to send to any longer: for it the waiting messages count as sent and stable.
    /// </summary>
    public abstract void OnGivenUp(StreamMessages stream, Instant now);

    /// <summary>
    /// Ends the way of a group that the node has left. Messages that wait go to the streams that take part.
    /// </summary>
    public abstract void Close();
}
