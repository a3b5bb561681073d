using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The storage of one inbox: a ring that the core writes and one reader empties.
/// <para>
/// Idea: the core writes slots beyond the reader's limit without a lock, and publishes all entries of a turn by one
/// write (<see cref="Publish"/>). The reader takes batches of entries under a short lock. The core takes the lock only
/// to move or remove slots that the reader may see: to grow, to shrink, to drop the oldest.
/// </para>
/// <para>
/// A replaced message leaves its slot behind, with its sender and number, so that its loss is reported in order. When
/// most slots of the ring are of that kind, the ring is compacted: a sender's lost messages between two of its live
/// ones become one note.
/// </para>
/// <para>Cost: allocates nothing before the first message, and nothing in steady state. A ring that was large shrinks
/// by halves while it holds few entries.</para>
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

    // Core thread only.
    private long _written;
    private int _publishes;

    // Largest number of entries since the last check, visible or not; never below the present number.
    private long _peak;
    private KeyTable? _keys;

    /// <summary>Whether the reader would find an entry, or the note of a dropped entry. Any thread.</summary>
    public bool HasPublished =>
        Volatile.Read(ref _published) > Volatile.Read(ref _head) || Volatile.Read(ref _dropped) is not null;

    /// <summary>Number of entries that fit without growing. Core thread only.</summary>
    public int Slots => _slots.Length;

    /// <summary>Adds an entry, invisible until published. Core thread only.</summary>
    public void Append(in InboxEntry entry)
    {
        long used = _written - Volatile.Read(ref _head);
        if (used == _slots.Length) Resize(Math.Max(Smallest, _slots.Length * 2));
        _slots[_written & (_slots.Length - 1)] = entry;
        _written++;
        if (used >= _peak) _peak = used + 1;
    }

    /// <summary>Adds a message with a key, invisible until published. Core thread only.</summary>
    /// <param name="entry">The message.</param>
    /// <param name="key">Its key; null if it has none.</param>
    public void AppendKeyed(in InboxEntry entry, ulong? key)
    {
        Append(entry);
        (_keys ??= new KeyTable()).OnStored(_written - 1, _slots.Length, key, Volatile.Read(ref _head));
    }

    /// <summary>Removes the unread message with a key. Its slot stays, to report its loss. Core thread only.</summary>
    /// <returns>False if there is none, or the reader has taken it.</returns>
    public bool TrySupersede(ulong key, out InboxEntry replaced)
    {
        replaced = default;
        if (_keys is null || !_keys.TryTake(key, out long position) || position < Volatile.Read(ref _head))
            return false;
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

    /// <summary>Removes the oldest message and records its loss; earlier notes are kept for the reader. Core thread
    /// only.</summary>
    /// <returns>False if there is none, because the reader has taken the rest.</returns>
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

    /// <summary>Removes the oldest entry of any kind, without a record. Core thread only.</summary>
    public bool TryPop(out InboxEntry entry)
    {
        lock (_lock) return TryPopLocked(out entry);
    }

    /// <summary>As <see cref="TryPop"/>, but only for visible entries. Any thread.</summary>
    public bool TryPopVisible(out InboxEntry entry)
    {
        lock (_lock)
        {
            if (Volatile.Read(ref _published) > _head) return TryPopLocked(out entry);
            entry = default;
            return false;
        }
    }

    /// <summary>Takes visible entries, and the notes on entries dropped before them. The reader's thread.</summary>
    /// <param name="batch">Receives the entries.</param>
    /// <param name="maxMessages">Limit on the messages among the entries; a message that reaches it is the last
    /// entry.</param>
    /// <param name="dropped">Losses before the first entry; null if there are none.</param>
    /// <param name="droppedView">A view that began before the first entry; null if there is none.</param>
    /// <returns>Number of entries taken.</returns>
    public int Take(Span<InboxEntry> batch, int maxMessages, out LossNotes? dropped, out GroupView? droppedView)
    {
        lock (_lock)
        {
            dropped = _dropped;
            droppedView = _droppedView;
            _dropped = null;
            _droppedView = null;
            int available = (int)Math.Min(batch.Length, Volatile.Read(ref _published) - _head);
            int count = 0;
            while (count < available && maxMessages > 0)
            {
                ref InboxEntry slot = ref _slots[(_head + count) & (_slots.Length - 1)];
                if (slot.IsMessage) maxMessages--;
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

    // Moves live entries towards the head. Slots of replaced messages and loss notes become one note for each sender
    // and reason, until a live message of that sender follows. Of views without a message between them, the newest
    // stays.
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
            for (long position = _head; position < _written; position++)
                slots[position & (length - 1)] = _slots[position & (_slots.Length - 1)];
            _slots = slots;
        }
    }
}
