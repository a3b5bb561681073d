using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The storage of one inbox: a ring that the core writes and one reader empties.
/// <para>
/// Idea: the core writes slots that the reader does not look at yet, without a lock, and makes a turn's worth visible with one write
/// (<see cref="Publish"/>). The reader takes entries in batches under the lock, for moments. The core takes the lock only where slots are moved or
/// taken from under the reader: to grow, to shrink, to drop the oldest.
/// </para>
/// <para>
/// A message that a newer one replaces leaves its place behind, with its sender and number, so that its loss is told in order. When such places are
/// most of the ring, it is packed: what is left of a sender's lost messages between two of its live ones becomes one note.
/// </para>
/// <para>Cost: nothing is allocated before the first message, and nothing in steady state; a ring that was large once shrinks by halves while little
/// is in it.</para>
/// </summary>
internal sealed class InboxRing
{
    private const int Smallest = 16;
    private const int ShrinksAbove = 256;
    private const int PublishesPerShrink = 1_024;
    private const int PacksAbove = 32;

    private readonly Lock _lock = new();
    private InboxEntry[] _slots = [];
    private long _head;
    private long _published;
    private LossNotes? _dropped;
    private GroupView? _droppedView;
    private int _superseded;

    // The core's own.
    private long _written;
    private int _publishes;

    // Most entries at a time since the last look, those that merely lie there included: never fewer than there are.
    private long _peak;
    private KeyTable? _keys;

    /// <summary>True when the reader would find something: an entry, or the word that entries were dropped. Any thread.</summary>
    public bool HasPublished => Volatile.Read(ref _published) > Volatile.Read(ref _head) || Volatile.Read(ref _dropped) is not null;

    /// <summary>How many entries fit without growing. Core thread only.</summary>
    public int Slots => _slots.Length;

    /// <summary>Adds an entry that is not visible yet. Core thread only.</summary>
    public void Append(in InboxEntry entry)
    {
        long used = _written - Volatile.Read(ref _head);
        if (used == _slots.Length) Resize(Math.Max(Smallest, _slots.Length * 2));
        _slots[_written & (_slots.Length - 1)] = entry;
        _written++;
        if (used >= _peak) _peak = used + 1;
    }

    /// <summary>Adds a message that is not visible yet, to be found again by its key. Core thread only.</summary>
    /// <param name="entry">The message.</param>
    /// <param name="key">Its key; null: it has none.</param>
    public void AppendKeyed(in InboxEntry entry, ulong? key)
    {
        Append(entry);
        (_keys ??= new KeyTable()).OnStored(_written - 1, _slots.Length, key, Volatile.Read(ref _head));
    }

    /// <summary>Takes the unread message with a key away; its place stays, for its loss to be told. Core thread only.</summary>
    /// <returns>False when there is none, or the reader has taken it.</returns>
    public bool TrySupersede(ulong key, out InboxEntry replaced)
    {
        replaced = default;
        if (_keys is null || !_keys.TryTake(key, out long position) || position < Volatile.Read(ref _head)) return false;
        lock (_lock)
        {
            if (position < _head) return false;
            ref InboxEntry slot = ref _slots[position & (_slots.Length - 1)];
            replaced = slot;
            slot = replaced.ToSuperseded();
            if (++_superseded > PacksAbove && _superseded > (_written - _head) / 2) PackLocked();
        }
        return true;
    }

    /// <summary>Makes all entries visible. Core thread only.</summary>
    public void Publish()
    {
        Volatile.Write(ref _published, _written);
        if (++_publishes < PublishesPerShrink) return;
        if (_slots.Length > ShrinksAbove && _peak < _slots.Length / 8) Resize(_slots.Length / 2);
        _publishes = 0;
        _peak = _written - Volatile.Read(ref _head);
    }

    /// <summary>Takes the oldest message away from the reader and notes its loss; notes on the way are kept for the
    /// reader. Core thread only.</summary>
    /// <returns>False when there is none: what is left is in the reader's hands.</returns>
    public bool TryDropOldest(LossReason reason, out InboxEntry dropped)
    {
        lock (_lock)
        {
            while (TryPopLocked(out dropped))
            {
                if (dropped.Body is GroupView view)
                {
                    _droppedView = view;
                    continue;
                }
                (_dropped ??= new LossNotes()).Add(dropped.ToLoss(reason));
                if (dropped.IsMessage) return true;
            }
            return false;
        }
    }

    /// <summary>Takes the oldest entry, whatever it is, without a note. Core thread only.</summary>
    public bool TryPop(out InboxEntry entry)
    {
        lock (_lock) return TryPopLocked(out entry);
    }

    /// <summary>As <see cref="TryPop"/>, for visible entries. Any thread.</summary>
    public bool TryPopVisible(out InboxEntry entry)
    {
        lock (_lock)
        {
            if (Volatile.Read(ref _published) > _head) return TryPopLocked(out entry);
            entry = default;
            return false;
        }
    }

    /// <summary>Takes visible entries, and what has been noted about those dropped before them. The reader's thread.</summary>
    /// <param name="batch">Filled from its start.</param>
    /// <param name="mostMessages">No more than so many of the entries are messages, and the last is then one.</param>
    /// <param name="dropped">Losses before the first entry; null: none.</param>
    /// <param name="droppedView">A view that began before the first entry; null: none.</param>
    /// <returns>How many entries were taken.</returns>
    public int Take(Span<InboxEntry> batch, int mostMessages, out LossNotes? dropped, out GroupView? droppedView)
    {
        lock (_lock)
        {
            dropped = _dropped;
            droppedView = _droppedView;
            _dropped = null;
            _droppedView = null;
            int available = (int)Math.Min(batch.Length, Volatile.Read(ref _published) - _head);
            int count = 0;
            while (count < available && mostMessages > 0)
            {
                ref InboxEntry slot = ref _slots[(_head + count) & (_slots.Length - 1)];
                if (slot.IsMessage) mostMessages--;
                else if (slot.IsSuperseded) _superseded--;
                batch[count++] = slot;
                slot = default;
            }
            Volatile.Write(ref _head, _head + count);
            return count;
        }
    }

    private bool TryPopLocked(out InboxEntry entry)
    {
        if (_head == _written)
        {
            entry = default;
            return false;
        }
        ref InboxEntry slot = ref _slots[_head & (_slots.Length - 1)];
        entry = slot;
        if (slot.IsSuperseded) _superseded--;
        slot = default;
        Volatile.Write(ref _head, _head + 1);
        if (_published < _head) Volatile.Write(ref _published, _head);
        return true;
    }

    // Moves what is live towards the head. Places of replaced messages, and notes of losses, become one note for each sender and reason that follow
    // each other without a live message of that sender between them; of views without a message between them the newest stays.
    private void PackLocked()
    {
        int mask = _slots.Length - 1;
        long to = _head;
        long published = _published;
        long viewAt = -1;
        var open = new Dictionary<NodeInfo, LossNote>();
        for (long from = _head; from < _written; from++)
        {
            if (from == _published) published = to;
            InboxEntry entry = _slots[from & mask];
            _slots[from & mask] = default;
            if (entry.Body is GroupView && viewAt >= 0)
            {
                _slots[viewAt & mask] = entry;
                continue;
            }
            if (!entry.IsMessage && entry.Body is not GroupView)
            {
                LossNote lost = entry.Body as LossNote ?? new LossNote(entry.ToLoss(LossReason.Superseded));
                bool isOpen = open.TryGetValue(lost.Sender, out LossNote? before);
                open[lost.Sender] = lost;
                if (isOpen && before!.Reason == lost.Reason)
                {
                    before.Merge(lost.First, lost.Count);
                    open[lost.Sender] = before;
                    continue;
                }
                entry = InboxEntry.Note(lost);
            }
            else if (entry.IsMessage)
            {
                _keys!.OnMoved(from, to);
                open.Remove(entry.Sender!);
                viewAt = -1;
            }
            else
            {
                viewAt = to;
            }
            _slots[to & mask] = entry;
            to++;
        }
        Volatile.Write(ref _published, _published < _written ? published : to);
        _written = to;
        _superseded = 0;
    }

    private void Resize(int length)
    {
        lock (_lock)
        {
            var slots = new InboxEntry[length];
            for (long position = _head; position < _written; position++) slots[position & (length - 1)] = _slots[position & (_slots.Length - 1)];
            _slots = slots;
        }
    }
}
