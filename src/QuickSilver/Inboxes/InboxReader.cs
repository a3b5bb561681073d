using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The reading half of an inbox: takes entries in batches, one lock each, and hands them out one by one. It stays with the inbox when a reader stops,
/// so the next one continues at the same place.
/// <para>
/// With events, notes come in their places: a view or loss that lies in the ring where it lies; losses of messages dropped at the head before their
/// sender's next message; what happened after the last message when nothing is left before it. Without events they are passed over, and the newest
/// view is kept for an event reader to come.
/// </para>
/// Used by one thread at a time: who has <see cref="InboxCore.BeginRead"/>.
/// </summary>
internal sealed class InboxReader(InboxCore inbox)
{
    private readonly Queue<InboxEntry> _notes = new();
    private InboxEntry[]? _batch;
    private int _count;
    private int _next;
    private LossNotes? _dropped;
    private GroupView? _skippedView;
    private GroupView? _toldView;

    /// <summary>Where the reader waits.</summary>
    public InboxSignal Signal { get; } = new();

    /// <summary>The next message, without a copy; notes are passed over.</summary>
    public ReadOutcome NextMessage(out InboxEntry entry)
    {
        while (true)
        {
            while (_next < _count)
            {
                entry = _batch![_next++];
                if (entry.IsMessage) return ReadOutcome.Entry;
                _skippedView = entry.Body as GroupView ?? _skippedView;
            }
            EndMark? end = inbox.End;
            if (Refill()) continue;
            entry = default;
            return end is null ? ReadOutcome.Empty : ReadOutcome.Ended;
        }
    }

    /// <summary>The next message or note.</summary>
    public ReadOutcome NextEvent(out InboxEntry entry)
    {
        while (true)
        {
            if (_notes.TryDequeue(out entry)) return ReadOutcome.Entry;
            while (_next < _count)
            {
                entry = _batch![_next];
                if (entry.IsMessage)
                {
                    entry = TakeNoteBefore(entry.Sender!) ?? _batch[_next++];
                    return ReadOutcome.Entry;
                }
                _next++;
                Keep(entry);
            }
            EndMark? end = inbox.End;
            if (Refill() || TakeIdleNotes()) continue;
            return end is null ? ReadOutcome.Empty : ReadOutcome.Ended;
        }
    }

    /// <summary>A message has been handed over as a copy: it counts as read, its memory goes home with the batch.</summary>
    public void OnCopied(in InboxEntry entry)
    {
        inbox.Depth.OnRead();
        inbox.Depth.OnConsumed(entry.Length);
    }

    /// <summary>Hands the message found last over as a lease: its memory goes home with the lease.</summary>
    public MessageLease Lease(in InboxEntry entry)
    {
        MessageLease lease = inbox.Shared.Leases.Begin(inbox, entry);
        _batch![_next - 1] = default;
        inbox.Depth.OnRead();
        inbox.Depth.OnLeased(entry.Length);
        return lease;
    }

    /// <summary>The message found last could not be handed over: it is found again. Before it was counted as read.</summary>
    public void PutBack(in InboxEntry entry)
    {
        if (entry.IsMessage) _next--;
    }

    /// <summary>A view is told to the application.</summary>
    /// <returns>The one that was told before; null when this is the first.</returns>
    public GroupView? Tell(GroupView view)
    {
        GroupView? before = _toldView;
        _toldView = view;
        return before;
    }

    /// <summary>Declares that the reader is about to wait, unless there is something after all.</summary>
    /// <param name="events">True when notes count.</param>
    /// <returns>True: await <see cref="InboxSignal.WaitAsync"/>. False: look again.</returns>
    public bool Arm(bool events)
    {
        Signal.Arm();
        bool isReady = inbox.HasReadable || inbox.End is not null || (events && inbox.MayRead && inbox.Notes.AreVisible);
        return !isReady || !Signal.TryDisarm();
    }

    /// <summary>Throws what ended the handle, if it did not end normally.</summary>
    public void ThrowIfFailed()
    {
        if (inbox.End?.Reason is { } reason) throw reason;
    }

    /// <summary>The reader stops: memory of what it has read goes home, unless more of the batch is unread.</summary>
    public void Pause()
    {
        if (_next == _count) ReturnMemory();
    }

    /// <summary>Drops what is in hand. By whoever ends the inbox, when nobody reads.</summary>
    public void DropBatch()
    {
        for (int index = _next; index < _count; index++)
        {
            if (_batch![index].IsMessage) inbox.Depth.OnConsumed(_batch[index].Length);
        }
        ReturnMemory();
        _notes.Clear();
        _dropped = null;
    }

    // What lies before a message is kept until that is reached: views and a sender's losses that nothing is told between are one.
    private void Keep(in InboxEntry entry)
    {
        if (entry.Body is GroupView view) _skippedView = view;
        else (_dropped ??= new LossNotes()).Add(entry.ToLoss(LossReason.Superseded));
    }

    private InboxEntry? TakeNoteBefore(NodeInfo sender)
    {
        if (_skippedView is { } view)
        {
            _skippedView = null;
            return InboxEntry.Note(view);
        }
        return _dropped is { Count: > 0 } dropped && dropped.TryTake(sender, out LossNote? loss) ? InboxEntry.Note(loss) : null;
    }

    private bool Refill()
    {
        ReturnMemory();
        inbox.CountLateReads();
        if (!inbox.HasReadable) return false;
        _batch = inbox.Shared.RentBatch();
        _count = inbox.Ring.Take(_batch, inbox.BatchMessages, out LossNotes? dropped, out GroupView? droppedView);
        _skippedView = droppedView ?? _skippedView;
        if (dropped is not null)
        {
            if (_dropped is null) _dropped = dropped;
            else _dropped.AddAll(dropped);
        }
        if (_count > 0) return true;
        ReturnMemory();
        return false;
    }

    // The last of the batch has been handed over, so nobody looks at its memory any more.
    private void ReturnMemory()
    {
        if (_batch is not { } batch) return;
        Span<InboxEntry> entries = batch.AsSpan(0, _count);
        long pinned = 0;
        foreach (ref readonly InboxEntry entry in entries) pinned += entry.Pinned;
        inbox.Depth.OnUnpinned(pinned);
        inbox.Shared.Returns.AddAll(entries);
        entries.Clear();
        _batch = null;
        _count = 0;
        _next = 0;
        inbox.Shared.ReturnBatch(batch);
    }

    private bool TakeIdleNotes()
    {
        if (!inbox.MayRead) return false;
        GroupView? view = _skippedView;
        _skippedView = null;
        IdleNotes? idle = _dropped is { Count: > 0 } ? null : inbox.Notes.Take();
        view = idle?.View ?? view;
        if (view is not null) _notes.Enqueue(InboxEntry.Note(view));
        LossNotes? losses = idle is null ? _dropped : idle.Losses;
        while (losses is not null && losses.TryTake(out LossNote? loss)) _notes.Enqueue(InboxEntry.Note(loss));
        return _notes.Count > 0;
    }
}
