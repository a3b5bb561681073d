namespace QuickSilver.Inboxes.Shared;

/// <summary>
/// The reading side of a shared inbox. It takes entries in batches, under one lock each, and returns them one by one.
/// It stays with the inbox when a reader stops, so the next reader continues at the same position.
/// <para>
/// An event reader gets views and ends of groups where they lie. Losses of one sender in a group are merged and told
/// before the next message of that sender there, before the group's end, or once everything is read. A message reader
/// skips them; it keeps the newest view of each group for a later event reader.
/// </para>
/// Used by one thread at a time: the caller of <see cref="SharedInbox.BeginRead"/>.
/// </summary>
internal sealed class SharedReader(SharedInbox inbox) : EntryReader<SharedEntry>
{
    private readonly Queue<SharedEntry> _notes = new();
    private readonly HashSet<SharedPart> _withNotes = [];
    private readonly SharedEntry[] _batch = new SharedEntry[NodeInboxes.BatchEntries];
    private int _count;
    private int _next;

    /// <inheritdoc/>
    public override ReadOutcome NextMessage(out SharedEntry entry)
    {
        while (true)
        {
            while (_next < _count)
            {
                entry = _batch[_next++];
                if (entry.IsMessage) return ReadOutcome.Entry;
                Skip(entry);
            }
            EndMark? end = inbox.End;
            if (Refill()) continue;
            entry = default;
            return end is null ? ReadOutcome.Empty : ReadOutcome.Ended;
        }
    }

    /// <inheritdoc/>
    public override ReadOutcome NextEvent(out SharedEntry entry)
    {
        while (true)
        {
            if (_notes.TryDequeue(out entry)) return ReadOutcome.Entry;
            while (_next < _count)
            {
                entry = _batch[_next];
                if (entry.IsMessage && TryTakeNoteBefore(entry, out SharedEntry note))
                {
                    entry = note;
                    return ReadOutcome.Entry;
                }
                _next++;
                if (entry.IsMessage || Tells(entry)) return ReadOutcome.Entry;
                if (_notes.TryDequeue(out entry)) return ReadOutcome.Entry;
            }
            EndMark? end = inbox.End;
            if (Refill() || TakeKept()) continue;
            entry = default;
            return end is null ? ReadOutcome.Empty : ReadOutcome.Ended;
        }
    }

    /// <inheritdoc/>
    public override void OnCopied(in SharedEntry entry)
    {
        entry.Part.Depth.OnConsumed(entry.Entry.Length);
        inbox.Depth.OnRead();
        inbox.Depth.OnConsumed(entry.Entry.Length);
    }

    /// <inheritdoc/>
    public override MessageLease Lease(in SharedEntry entry)
    {
        MessageLease lease = inbox.Node.Leases.Begin(entry.Part, entry.Entry);
        _batch[_next - 1] = default;
        entry.Part.Depth.OnLeased(entry.Entry.Length);
        inbox.Depth.OnRead();
        inbox.Depth.OnLeased(entry.Entry.Length);
        return lease;
    }

    /// <inheritdoc/>
    public override GroupView? OnReported(in SharedEntry view)
    {
        GroupView? before = view.Part.ToldView;
        view.Part.ToldView = (GroupView?)view.Entry.Body;
        return before;
    }

    /// <inheritdoc/>
    public override void PutBack(in SharedEntry entry)
    {
        if (entry.IsMessage) _next--;
    }

    /// <inheritdoc/>
    public override bool Arm(bool events)
    {
        Signal.Arm();
        bool isReady = inbox.Ring.HasPublished || inbox.End is not null;
        return !isReady || !Signal.TryDisarm();
    }

    /// <inheritdoc/>
    public override void ThrowIfFailed()
    {
        if (inbox.End?.Reason is { } reason) throw reason;
    }

    /// <inheritdoc/>
    public override void EndRead() => inbox.EndRead();

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
            if (_batch[index].IsMessage) inbox.OnDiscarded(_batch[index]);
        }
        ReturnMemory();
        _notes.Clear();
        _withNotes.Clear();
    }

    private void Skip(in SharedEntry entry)
    {
        if (entry.Entry.Body is GroupView view) Keep(entry.Part).View = view;
        else if (entry.Entry.Body is EndMark && _withNotes.Remove(entry.Part)) entry.Part.Kept = null;
    }

    // False for what is told later, with its like, and for slots of nothing. The end of a group is told after its
    // other notes.
    private bool Tells(in SharedEntry entry)
    {
        SharedPart part = entry.Part;
        if (entry.Entry.Body is GroupView)
        {
            if (part.Kept is { } kept) kept.View = null;
            return true;
        }
        if (entry.Entry.Body is EndMark)
        {
            if (_withNotes.Remove(part)) TellKept(part);
            _notes.Enqueue(entry);
        }
        else if (entry.IsDropped || entry.Entry.Body is LossNote)
        {
            Keep(part).Losses.Add(entry.ToLoss());
        }
        return false;
    }

    private KeptNotes Keep(SharedPart part)
    {
        if (part.Kept is { } kept) return kept;
        _withNotes.Add(part);
        return part.Kept = new KeptNotes();
    }

    private static bool TryTakeNoteBefore(in SharedEntry message, out SharedEntry note)
    {
        note = default;
        if (message.Part.Kept is not { } kept) return false;
        if (kept.TryTakeView(out GroupView? view)) note = SharedEntry.Note(message.Part, view);
        else if (kept.Losses.TryTake(message.Entry.Sender!, out LossNote? loss))
            note = SharedEntry.Note(message.Part, loss);
        return note.Part is not null;
    }

    // Everything is read: what was kept has nothing to wait for.
    private bool TakeKept()
    {
        foreach (SharedPart part in _withNotes) TellKept(part);
        _withNotes.Clear();
        return _notes.Count > 0;
    }

    private void TellKept(SharedPart part)
    {
        if (part.Kept is not { } kept) return;
        part.Kept = null;
        if (kept.TryTakeView(out GroupView? view)) _notes.Enqueue(SharedEntry.Note(part, view));
        while (kept.Losses.TryTake(out LossNote? loss)) _notes.Enqueue(SharedEntry.Note(part, loss));
    }

    private bool Refill()
    {
        ReturnMemory();
        inbox.CountLateReads();
        if (!inbox.Ring.HasPublished) return false;
        _count = inbox.Ring.Take(_batch, inbox.BatchMessages);
        return _count > 0;
    }

    // The last message of the batch was returned, so its memory is unused.
    private void ReturnMemory()
    {
        if (_count == 0) return;
        Span<SharedEntry> entries = _batch.AsSpan(0, _count);
        long pinned = 0;
        foreach (ref readonly SharedEntry entry in entries) pinned += entry.Entry.Pinned;
        inbox.Depth.OnUnpinned(pinned);
        inbox.Node.Returns.AddAll(entries);
        entries.Clear();
        _count = 0;
        _next = 0;
    }
}
