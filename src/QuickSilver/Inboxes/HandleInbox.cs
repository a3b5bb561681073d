using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// What a handle puts its messages, losses and views into: the handle's own inbox (<see cref="InboxCore"/>). Members
/// are for the core thread unless they say otherwise.
/// </summary>
internal abstract class HandleInbox
{
    /// <summary>The handle. Any thread.</summary>
    public abstract IInboxOwner Owner { get; }

    /// <summary>Unread messages of the handle. Any thread.</summary>
    public abstract long Messages { get; }

    /// <summary>Bytes of the handle's unread messages and undisposed leases. Any thread.</summary>
    public abstract long Bytes { get; }

    /// <summary>Whether no message is unread and no reader is at work on one, as far as the inbox knows. Any
    /// thread.</summary>
    public virtual bool IsIdle => Messages == 0;

    /// <summary>True while there may be something to publish.</summary>
    public abstract bool IsTouched { get; }

    /// <summary>Stores delivered messages, as references to their memory or as copies.</summary>
    public abstract void OnMessages(NodeInfo sender, in DeliveryBatch batch);

    /// <summary>Records a change of the view.</summary>
    public abstract void OnViewChanged(GroupView view);

    /// <summary>Records messages that will never arrive.</summary>
    public abstract void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason);

    /// <summary>Makes the messages of this turn visible to the reader, all at once.</summary>
    public abstract void Publish();

    /// <summary>Takes no more messages: the handle has ended. Further calls have no effect.</summary>
    /// <param name="reason">The exception for readers after the stored messages; null for a normal end.</param>
    public abstract void Close(Exception? reason);

    /// <summary>Ends the readers after the visible messages, for a core that hangs or has ended. Any thread.</summary>
    public abstract void SetEnd(Exception? reason);

    /// <summary>Releases an ended handle's messages, at once or when the present reader stops. Any thread.</summary>
    public abstract void Discard();

    /// <summary>Counts a lease that has ended. Any thread.</summary>
    public abstract void OnLeaseEnded(in InboxEntry entry);

    /// <summary>Discards all messages that no reader has taken, and stops storing, for lack of memory.</summary>
    public abstract void GiveUp();
}
