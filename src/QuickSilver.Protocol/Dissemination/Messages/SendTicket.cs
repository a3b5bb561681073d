using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>Follows one message to stability, for a caller that waits for it. Core thread only.</summary>
internal abstract class SendTicket
{
    /// <summary>The message has taken its number.</summary>
    /// <param name="number">Message number, per (sender, group).</param>
    /// <param name="groupView">Step that brought the group view it is sent in.</param>
    /// <param name="members">Members of that view, this node included.</param>
    public abstract void OnNumbered(ulong number, StepNumber groupView, int members);

    /// <summary>Every member of the view that is still alive holds the message.</summary>
    /// <param name="removed">Members removed from the cluster before they were known to hold it.</param>
    /// <param name="now">The present instant.</param>
    public abstract void OnStable(int removed, Instant now);
}
