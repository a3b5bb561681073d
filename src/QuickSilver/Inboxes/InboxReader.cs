using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The reading side of an inbox. It takes entries in batches, under one lock each, and returns them one by one. It
/// stays with the inbox when a reader stops, so the next reader continues at the same position.
/// <para>
/// An event reader gets notes at their positions: views and losses in the ring where they lie; losses of messages
/// dropped at the head before their sender's next message; events after the last message once every message is read. A
/// message reader skips them; the newest view is kept for a later event reader.
/// </para>
/// Used by one thread at a time: the caller of <see cref="InboxCore.BeginRead"/>.
/// </summary>
internal sealed class InboxReader(InboxCore inbox) : EntryReader<InboxEntry>
{
    private readonly Queue<InboxEntry> _notes = new();
    private InboxEntry[]? _batch;
    private int _count;
    private int _next;
    private LossNotes? _dropped;
    private GroupView? _skippedView;
    private GroupView? _toldView;

    /// <inheritdoc/>
    public override ReadOutcome NextMessage(out InboxEntry entry)
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

    /// <inheritdoc/>
    public override ReadOutcome NextEvent(out InboxEntry entry)
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

    /// <inheritdoc/>
    public override void OnCopied(in InboxEntry entry)
    {
        inbox.Depth.OnRead();
        inbox.Depth.OnConsumed(entry.Length);
    }

    /// <inheritdoc/>
    public override MessageLease Lease(in InboxEntry entry)
    {
        MessageLease lease = inbox.Shared.Leases.Begin(inbox, entry);
        _batch![_next - 1] = default;
        inbox.Depth.OnRead();
        inbox.Depth.OnLeased(entry.Length);
        return lease;
    }

    /// <inheritdoc/>
    public override void PutBack(in InboxEntry entry)
    {
        if (entry.IsMessage) _next--;
    }

    /// <inheritdoc/>
    public override GroupView? OnReported(in InboxEntry view)
    {
        GroupView? before = _toldView;
        _toldView = (GroupView?)view.Body;
        return before;
    }

    /// <inheritdoc/>
    public override void EndRead() => inbox.EndRead();

    /// <inheritdoc/>
    public override bool Arm(bool events)
    {
        Signal.Arm();
        bool isReady = inbox.HasReadable
            || inbox.End is not null
            || (events && inbox.MayRead && inbox.Notes.AreVisible);
        return !isReady || !Signal.TryDisarm();
    }

    /// <inheritdoc/>
    public override void ThrowIfFailed()
    {
        if (inbox.End?.Reason is { } reason) throw reason;
    }

    /// <summary>Pauses reading. Releases the memory of read messages, unless part of the batch is unread.</summary>
    public void Pause()
    {
        if (_next == _count) ReturnMemory();
    }

    /// <summary>Releases the unread part of the batch. Called at the end of the inbox, when no reader is
    /// active.</summary>
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

    // Keeps notes until the message behind them is reached. Views are merged, and so are losses of a sender with no
    // message between them.
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
        return _dropped is { Count: > 0 } dropped && dropped.TryTake(sender, out LossNote? loss)
            ? InboxEntry.Note(loss)
            : null;
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

    // The last message of the batch was returned, so its memory is unused.
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
