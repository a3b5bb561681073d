using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes.Shared;

/// <summary>
/// The storage of a shared inbox: one ring for the messages and notes of all its groups, written by the core and
/// emptied by one reader.
/// <para>
/// Idea: as in <see cref="InboxRing"/>, the core writes without a lock, publishes a turn's entries by one write, and
/// the reader takes batches under a short lock. What is dropped lies anywhere in this ring, because the policy is the
/// group's. So it leaves a mark in its slot, which tells the loss in its place. Groups whose oldest message may be
/// dropped have their messages linked (<see cref="_next"/>), so finding the oldest is O(1); linking takes the lock.
/// A ring that is mostly marks is packed (<see cref="PackLocked"/>), O(slots), no more than once in half as many drops.
/// </para>
/// <para>Cost: allocates nothing before the first entry, and nothing in steady state. A ring that was large shrinks by
/// halves while it holds few entries. Core thread only, unless a member says otherwise.</para>
/// </summary>
internal sealed class SharedRing
{
    private const int Smallest = 16;
    private const int ShrinksAbove = 256;
    private const int PublishesPerShrink = 1_024;
    private const int PacksAbove = 32;

    private readonly Lock _lock = new();
    private SharedEntry[] _slots = [];
    // Position of the group's next linked message; valid for linked messages but the newest of each group.
    private long[] _next = [];
    private ulong[] _keys = [];
    private long _head;
    private long _published;
    private int _dead;
    private int _batches;
    private bool _hasDrops;

    // Core thread only.
    private long _written;
    private int _publishes;
    private long _peak;

    /// <summary>Whether the reader would find an entry. Any thread.</summary>
    public bool HasPublished => Volatile.Read(ref _published) > Volatile.Read(ref _head);

    /// <summary>Number of entries that fit without growing.</summary>
    public int Slots => _slots.Length;

    /// <summary>Adds an entry, invisible until published.</summary>
    /// <returns>Its position.</returns>
    public long Append(in SharedEntry entry)
    {
        long used = _written - Volatile.Read(ref _head);
        if (used == _slots.Length) Resize(Math.Max(Smallest, _slots.Length * 2));
        _slots[_written & (_slots.Length - 1)] = entry;
        if (used >= _peak) _peak = used + 1;
        return _written++;
    }

    /// <summary>Adds a message whose group may drop its oldest.</summary>
    public void AppendLinked(in SharedEntry message)
    {
        SharedPart part = message.Part;
        long position = Append(message);
        lock (_lock)
        {
            if (part.DropsOldest) _hasDrops = true;
            if (_next.Length != _slots.Length) ResizeLinks();
            LinkLocked(part, position);
        }
    }

    /// <summary>Adds a message that a later one with its key replaces.</summary>
    public void AppendKeyed(in SharedEntry message, ulong key)
    {
        AppendLinked(message);
        if (_keys.Length != _slots.Length) ResizeKeys();
        _keys[message.Part.Newest & (_slots.Length - 1)] = key;
        message.Part.OnKeyed(key, message.Part.Newest, Volatile.Read(ref _head));
    }

    /// <summary>Makes all entries visible.</summary>
    public void Publish()
    {
        Volatile.Write(ref _published, _written);
        if (++_publishes < PublishesPerShrink) return;
        if (_slots.Length > ShrinksAbove && _peak < _slots.Length / 8) Resize(_slots.Length / 2);
        _publishes = 0;
        _peak = _written - Volatile.Read(ref _head);
    }

    /// <summary>Removes the oldest message of a group and leaves the mark of its loss.</summary>
    /// <returns>False if there is none, because the reader has taken the rest.</returns>
    public bool TryDropOldest(SharedPart part, LossReason reason, out InboxEntry dropped)
    {
        lock (_lock)
        {
            while (part.Oldest >= _head)
            {
                long position = part.Oldest;
                part.Oldest = AfterLocked(part, position);
                if (!At(position).IsMessage) continue;
                dropped = DropLocked(position, reason);
                return true;
            }
        }
        dropped = default;
        return false;
    }

    /// <summary>Removes an unread message of a group, because one with its key follows.</summary>
    /// <param name="part">The group.</param>
    /// <param name="position">Position of the newest message with the key.</param>
    /// <param name="replaced">The message.</param>
    /// <returns>False if the reader has taken it, or it was dropped.</returns>
    public bool TrySupersede(SharedPart part, long position, out InboxEntry replaced)
    {
        replaced = default;
        if (position < Volatile.Read(ref _head)) return false;
        lock (_lock)
        {
            if (position < _head || !At(position).IsMessage) return false;
            replaced = DropLocked(position, LossReason.Superseded);
            return true;
        }
    }

    /// <summary>Records a view: in place of the group's last one, if no message followed it and nobody has read
    /// it.</summary>
    public void NoteView(SharedPart part, GroupView view)
    {
        lock (_lock)
        {
            if (part.OpenView >= _head)
            {
                At(part.OpenView) = SharedEntry.Note(part, view);
                return;
            }
        }
        part.OpenView = Append(SharedEntry.Note(part, view));
    }

    /// <summary>Records a loss: with the sender's last one, if no message of the sender followed it and nobody has read
    /// it.</summary>
    public void NoteLoss(SharedPart part, in Loss loss)
    {
        Dictionary<NodeInfo, long> open = part.OpenLosses ??= [];
        lock (_lock)
        {
            if (open.TryGetValue(loss.Sender, out long position)
                && position >= _head
                && At(position).Entry.Body is LossNote note
                && note.Reason == loss.Reason)
            {
                note.Merge(loss.First, loss.Count);
                return;
            }
        }
        open[loss.Sender] = Append(SharedEntry.Note(part, new LossNote(loss)));
    }

    /// <summary>Withdraws all that the reader was to be told of a group, if it was told nothing yet.</summary>
    /// <returns>False if the group is known to the reader, or has entries other than a view.</returns>
    public bool TryWithdraw(SharedPart part)
    {
        lock (_lock)
        {
            if (part.IsKnown || part.OpenView < _head || part.OpenLosses is not null || part.Messages > 0) return false;
            ref SharedEntry slot = ref At(part.OpenView);
            slot = slot.ToNothing();
            OnDeadLocked();
            return true;
        }
    }

    /// <summary>Removes every message of a group that the reader has not taken, without a note. O(slots).</summary>
    /// <param name="part">The group.</param>
    /// <param name="forget">Called for each message, under the lock.</param>
    public void RemoveAll(SharedPart part, Action<SharedEntry> forget)
    {
        lock (_lock)
        {
            for (long position = _head; position < _written; position++)
            {
                ref SharedEntry slot = ref At(position);
                if (!slot.IsMessage || !ReferenceEquals(slot.Part, part)) continue;
                SharedEntry removed = new(part, DropLocked(position, LossReason.Overflow, packs: false));
                slot = slot.ToNothing();
                forget(removed);
            }
        }
    }

    /// <summary>Removes the oldest visible entry of any kind. Any thread, while no reader is active.</summary>
    public bool TryPopVisible(out SharedEntry entry)
    {
        lock (_lock)
        {
            if (Volatile.Read(ref _published) > _head)
            {
                entry = TakeLocked();
                return true;
            }
        }
        entry = default;
        return false;
    }

    /// <summary>Takes visible entries. The reader's thread.</summary>
    /// <param name="batch">Receives the entries.</param>
    /// <param name="maxMessages">Limit on the messages among them. Groups that drop their oldest may have lower
    /// limits, so that what the reader holds cannot be all there is.</param>
    /// <returns>Number of entries taken.</returns>
    public int Take(Span<SharedEntry> batch, int maxMessages)
    {
        lock (_lock)
        {
            int available = (int)Math.Min(batch.Length, Volatile.Read(ref _published) - _head);
            int count = 0;
            int messages = 0;
            _batches++;
            while (count < available)
            {
                ref SharedEntry slot = ref At(_head);
                bool isMessage = slot.IsMessage;
                if (isMessage && _hasDrops && !slot.Part.MayTake(_batches, messages)) break;
                bool isAlone = isMessage && _hasDrops && slot.Part.IsReadAlone;
                batch[count++] = TakeLocked();
                if (isMessage && (++messages >= maxMessages || isAlone)) break;
            }
            return count;
        }
    }

    private ref SharedEntry At(long position) => ref _slots[position & (_slots.Length - 1)];

    private SharedEntry TakeLocked()
    {
        ref SharedEntry slot = ref At(_head);
        SharedEntry entry = slot;
        slot = default;
        if (!entry.IsMessage)
        {
            if (entry.Entry.Body is null) _dead--;
            else entry.Part.IsKnown = true;
        }
        if (_hasDrops && entry.Part.Oldest == _head) entry.Part.Oldest = AfterLocked(entry.Part, _head);
        Volatile.Write(ref _head, _head + 1);
        return entry;
    }

    private long AfterLocked(SharedPart part, long position) =>
        position == part.Newest ? -1 : _next[position & (_slots.Length - 1)];

    // The memory that the message pinned is counted with the next message in the same chunk, if there is one.
    private InboxEntry DropLocked(long position, LossReason reason, bool packs = true)
    {
        ref SharedEntry slot = ref At(position);
        InboxEntry dropped = slot.Entry;
        slot = slot.ToDropped(reason);
        if (dropped.Pinned > 0 && dropped.Chunk is { } chunk && TryPassOnLocked(position + 1, chunk, dropped.Pinned))
            dropped = dropped with { Pinned = 0 };
        if (packs) OnDeadLocked();
        else _dead++;
        return dropped;
    }

    private bool TryPassOnLocked(long position, Chunk chunk, int pinned)
    {
        for (; position < _written; position++)
        {
            ref SharedEntry slot = ref At(position);
            if (slot.Entry.Chunk is not { } other) continue;
            if (!ReferenceEquals(other, chunk) || slot.Entry.Pinned > 0) return false;
            slot = slot with { Entry = slot.Entry with { Pinned = pinned } };
            return true;
        }
        return false;
    }

    private void OnDeadLocked()
    {
        if (++_dead > PacksAbove && _dead > (_written - _head) / 2) PackLocked();
    }

    // Moves live entries towards the head. Marks and loss notes become one note for each group, sender and reason,
    // until a live message of that sender in that group follows. Links, keys and open notes follow their entries.
    private void PackLocked()
    {
        long to = _head;
        long published = _published;
        var open = new Dictionary<(SharedPart, NodeInfo), (LossNote Note, long Position)>();
        for (long from = _head; from < _written; from++) At(from).Part.Oldest = -1;
        for (long from = _head; from < _written; from++)
        {
            if (from == _published) published = to;
            SharedEntry entry = At(from);
            SharedPart part = entry.Part;
            bool isKeyed = part.HasKeys && _keys.Length == _slots.Length;
            ulong key = isKeyed ? _keys[from & (_slots.Length - 1)] : 0;
            At(from) = default;
            if (entry.IsMessage)
            {
                open.Remove((part, entry.Entry.Sender!));
                // Messages of groups that drop nothing are linked too, to no effect: nobody asks for their oldest.
                if (_next.Length == _slots.Length) LinkLocked(part, to);
                if (isKeyed)
                {
                    _keys[to & (_slots.Length - 1)] = key;
                    part.OnKeyMoved(key, from, to);
                }
            }
            else if (entry.Entry.Sender is not null || entry.Entry.Body is LossNote)
            {
                if (isKeyed && entry.IsDropped) part.OnKeyMoved(key, from, -1);
                LossNote note = entry.Entry.Body as LossNote ?? new LossNote(entry.ToLoss());
                bool isOpen = open.TryGetValue((part, note.Sender), out (LossNote Note, long Position) before);
                bool isMerged = isOpen && before.Note.Reason == note.Reason;
                if (isMerged) before.Note.Merge(note.First, note.Count);
                else before = (note, to);
                open[(part, note.Sender)] = before;
                part.OnLossMoved(note.Sender, from, before.Position);
                if (isMerged) continue;
                entry = SharedEntry.Note(part, note);
            }
            else if (entry.Entry.Body is null)
            {
                continue;
            }
            else if (part.OpenView == from)
            {
                part.OpenView = to;
            }
            At(to++) = entry;
        }
        Volatile.Write(ref _published, _published < _written ? published : to);
        _written = to;
        _dead = 0;
    }

    // What lies before the head was taken, and its links are void.
    private void LinkLocked(SharedPart part, long position)
    {
        if (part.Oldest < _head) part.Oldest = position;
        else _next[part.Newest & (_slots.Length - 1)] = position;
        part.Newest = position;
    }

    private void Resize(int length)
    {
        lock (_lock)
        {
            var slots = new SharedEntry[length];
            for (long position = _head; position < _written; position++) slots[position & (length - 1)] = At(position);
            int before = _slots.Length;
            _slots = slots;
            if (_next.Length == before && before > 0) ResizeLinks();
            if (_keys.Length == before && before > 0) ResizeKeys();
        }
    }

    private void ResizeLinks() => _next = Moved(_next);

    private void ResizeKeys() => _keys = Moved(_keys);

    private T[] Moved<T>(T[] old)
    {
        var moved = new T[_slots.Length];
        for (long position = _head; position < _written && old.Length > 0; position++)
            moved[position & (moved.Length - 1)] = old[position & (old.Length - 1)];
        return moved;
    }
}
