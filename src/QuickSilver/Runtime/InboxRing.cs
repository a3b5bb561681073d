namespace QuickSilver.Runtime;

/// <summary>
/// The storage of one inbox: a ring that the core writes and one reader empties.
/// <para>
/// Idea: the core writes slots that the reader does not look at yet, without a lock, and makes a turn's worth visible with one write
/// (<see cref="Publish"/>). The reader takes entries in batches under the lock, for moments. The core takes the lock only where slots are moved or
/// taken from under the reader: to grow, to shrink, to drop the oldest.
/// </para>
/// <para>Cost: nothing is allocated before the first message, and nothing in steady state; a ring that was large once shrinks by halves while little
/// is in it.</para>
/// </summary>
internal sealed class InboxRing
{
    private const int Smallest = 16;
    private const int ShrinksAbove = 256;
    private const int PublishesPerShrink = 1_024;

    private readonly Lock _lock = new();
    private InboxEntry[] _slots = [];
    private long _head;
    private long _published;
    private LossNotes? _dropped;
    private GroupView? _droppedView;

    // The core's own.
    private long _written;
    private int _publishes;
    private long _peak;

    /// <summary>True when the reader would find something: an entry, or the word that entries were dropped. Any thread.</summary>
    public bool HasPublished => Volatile.Read(ref _published) > Volatile.Read(ref _head) || Volatile.Read(ref _dropped) is not null;

    /// <summary>Adds an entry that is not visible yet. Core thread only.</summary>
    public void Append(in InboxEntry entry)
    {
        long used = _written - Volatile.Read(ref _head);
        if (used == _slots.Length) Resize(Math.Max(Smallest, _slots.Length * 2));
        _slots[_written & (_slots.Length - 1)] = entry;
        _written++;
        if (used >= _peak) _peak = used + 1;
    }

    /// <summary>Makes all entries visible. Core thread only.</summary>
    public void Publish()
    {
        Volatile.Write(ref _published, _written);
        if (++_publishes < PublishesPerShrink) return;
        if (_slots.Length > ShrinksAbove && _peak < _slots.Length / 8) Resize(_slots.Length / 2);
        _publishes = 0;
        _peak = 0;
    }

    /// <summary>Takes the oldest message away from the reader and notes its loss; notes on the way are kept for the reader. Core thread
    /// only.</summary>
    /// <returns>False when there is none: what is left is in the reader's hands.</returns>
    public bool TryDropOldest(LossReason reason, out InboxEntry dropped)
    {
        lock (_lock)
        {
            while (TryPopLocked(out dropped))
            {
                switch (dropped.Body)
                {
                    case GroupView view:
                        _droppedView = view;
                        break;
                    case LossNote note:
                        (_dropped ??= new LossNotes()).Add(note.Sender, note.First, note.Count, note.Reason);
                        break;
                    default:
                        (_dropped ??= new LossNotes()).Add(dropped.Sender!, dropped.Number, 1, reason);
                        return true;
                }
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
    /// <param name="dropped">Losses before the first entry; null: none.</param>
    /// <param name="droppedView">A view that began before the first entry; null: none.</param>
    /// <returns>How many entries were taken.</returns>
    public int Take(Span<InboxEntry> batch, out LossNotes? dropped, out GroupView? droppedView)
    {
        lock (_lock)
        {
            dropped = _dropped;
            droppedView = _droppedView;
            _dropped = null;
            _droppedView = null;
            int count = (int)Math.Min(batch.Length, Volatile.Read(ref _published) - _head);
            for (int index = 0; index < count; index++)
            {
                ref InboxEntry slot = ref _slots[(_head + index) & (_slots.Length - 1)];
                batch[index] = slot;
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
        slot = default;
        Volatile.Write(ref _head, _head + 1);
        if (_published < _head) Volatile.Write(ref _published, _head);
        return true;
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
