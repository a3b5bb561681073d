using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>
/// The receiving part of a group: passes its messages and losses to the handles, and fails a handle that has no room
/// for them.
/// </summary>
internal sealed partial class GroupCore
{
    /// <inheritdoc/>
    public void OnMessages(NodeInfo sender, in DeliveryBatch batch, Instant now)
    {
        Services.CheckCoreThread();
        Figures.MessagesReceived += batch.Count;
        Figures.BytesReceived += batch.TotalLength;
        if (batch.IsPiece)
        {
            OnPiece(sender, batch);
            return;
        }
        bool isOwn = ReferenceEquals(sender, _node.Self);
        bool hasStored = false;
        foreach (GroupHandle handle in Handles)
        {
            if (isOwn && !handle.Settings.SelfDelivery) continue;
            Deliver(handle, sender, batch);
            hasStored |= handle.HasUnpublished;
        }
        // Messages that inline handlers have taken need no end of the turn: thousands of groups would have one.
        if (hasStored) Touch();
    }

    // A handle that runs out of memory fails alone; the other handles and the node continue.
    private void Deliver(GroupHandle handle, NodeInfo sender, in DeliveryBatch batch)
    {
        try
        {
            handle.Deliver(sender, batch);
        }
        catch (OutOfMemoryException fault)
        {
            handle.Inbox?.GiveUp();
            OnNoMemory(handle, fault);
        }
    }

    private void OnNoMemory(GroupHandle handle, OutOfMemoryException fault)
    {
        Services.Log.Post(
            (_node.Services.Name, Name), static (logger, s) => Log.NoMemoryForGroup(logger, s.Item1, s.Item2));
        _node.FailLater(handle, new QuickSilverException(
            ErrorCode.OutOfMemory,
            $"There was no memory for a message of '{Name}', whose handle has left the group; unread messages are "
            + "lost. Read quicker, lower Delivery.InboxMaxBytes, Delivery.InboxMaxBytesPerNode and "
            + "Recovery.CacheBytes, or allow the process a larger heap, then join again.",
            fault));
    }

    /// <inheritdoc/>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
        OnLoss(sender, first, count, LossCause.SenderFailed, now);

    /// <inheritdoc/>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, LossCause cause, Instant now)
    {
        Services.CheckCoreThread();
        LossReason reason = cause switch
        {
            LossCause.Expired => LossReason.Expired,
            LossCause.DeadlinePassed => LossReason.DeadlinePassed,
            _ => LossReason.SenderFailed,
        };
        Figures.MessagesLost += (long)Math.Max(1, count);
        foreach (GroupHandle handle in Handles) handle.OnLoss(sender, first, count, reason);
        Touch();
        if (!Figures.BeginsEpisode(reason, Services.Clock.Now)) return;
        Services.Log.Post(
            (Sender: sender.Name, Name, First: first, Count: count, Reason: reason),
            static (logger, s) => Log.MessagesLost(logger, s.Sender, s.Name, s.Count, s.First, s.Reason));
        Services.Events.Post(new LossReported(Name, new MemberId(sender), count, reason));
    }

    /// <summary>Counts a message that an inbox dropped, and reports the first of an episode.</summary>
    public void OnDropped(NodeInfo sender, LossReason reason)
    {
        Services.CheckCoreThread();
        Figures.MessagesDropped++;
        _node.MessagesDropped++;
        if (!Figures.BeginsEpisode(reason, Services.Clock.Now)) return;
        Services.Log.Post((Name, Reason: reason), static (logger, s) => Log.InboxDrops(logger, s.Name, s.Reason));
        Services.Events.Post(new LossReported(Name, new MemberId(sender), 1, reason));
    }

    /// <summary>Fails a handle whose inbox is full under <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public void OnOverflow(GroupHandle handle, long backlog, long bytes, long leasedBytes)
    {
        Services.CheckCoreThread();
        _node.SlowConsumers++;
        Services.Log.Post(
            (Name, Backlog: backlog, Leased: leasedBytes),
            static (logger, s) => Log.SlowConsumer(logger, s.Name, s.Backlog, s.Leased));
        // Undisposed leases are the likelier cause when they take more room than the unread messages.
        bool isByLeases = leasedBytes > bytes / 2;
        string inbox = handle.Settings.Inbox is null ? "inbox" : "shared inbox";
        string cause = isByLeases
            ? $"The {inbox} of '{Name}' was full of {leasedBytes} bytes in leases that have not been disposed of"
            : $"The reader of '{Name}' is too slow: {backlog} messages were unread when the {inbox} was full";
        string remedy = isByLeases
            ? "Dispose of each MessageLease as soon as it has been used (using)"
            : "Read quicker (ReadLeasedAsync copies nothing)";
        var reason = new SlowConsumerException(
            ErrorCode.SlowConsumer,
            $"{cause}, and its policy is FailGroup. The handle has left the group; stored messages can still be read. "
            + $"{remedy}, allow more (InboxMaxMessages, InboxMaxBytes; of a shared inbox, InboxOptions) "
            + "or choose an OverflowPolicy that drops, "
            + "then join again.")
        {
            GroupName = Name,
            Backlog = backlog,
            LeasedBytes = leasedBytes,
            Diagnostics = _node.Describe(this),
        };
        _node.FailLater(handle, reason);
    }
}
