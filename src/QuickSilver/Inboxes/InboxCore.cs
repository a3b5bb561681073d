using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The inbox of one handle, from the core's side: takes messages as they are delivered, shows them to the reader once a turn (<see cref="Publish"/>),
/// and bounds what waits.
/// <para>
/// Idea: an entry is a reference to the received packet's memory (<see cref="InboxPins"/>), so taking a message copies nothing. A message that fits
/// into the room found at the last look costs no look at the reader's counters (<see cref="InboxDepth"/>).
/// </para>
/// <para>
/// Under <see cref="OverflowPolicy.KeepLatestByKey"/> a message takes the unread one with its key away, full or not, read or not yet read from; full
/// of other keys, the inbox drops its oldest. A reader then takes one message at a time, so that what it has not handed over can still be replaced.
/// </para>
/// <para>
/// Before the first consumer (<see cref="FirstConsumer"/>) a full inbox drops its oldest message, whatever the policy, and tells the first event
/// reader. Afterwards the policy rules. Each loss is noted where it belongs. The ring keeps the losses at its head. What happens at the tail (a new message dropped, a loss of the
/// protocol, a view change) is among the <see cref="IdleNotes"/>, because nothing may ever follow it; it becomes an entry when a message comes that
/// it has to stand before.
/// </para>
/// Members are for the core thread unless they say otherwise.
/// </summary>
internal sealed class InboxCore
{
    private readonly InboxLimits _limits;
    private readonly IInboxOwner _owner;
    private readonly InboxShared _shared;
    private readonly InboxRing _ring = new();
    private readonly InboxNotes _notes;
    private readonly Lock _readerLock = new();
    private InboxReader? _reader;
    private bool _isBeingRead;
    private bool _isDiscarded;
    private bool _countsLateReads;
    private EndMark? _end;
    private int _hasConsumer;
    private FirstConsumer _first;

    private InboxDepth _depth;

    // The core's own.
    private InboxPins _pins;
    private GroupView? _heldView;
    private long _roomMessages;
    private long _roomBytes;
    private bool _holdsBeforeConsumer;
    private bool _takesNothing;
    private bool _isClosed;
    private bool _actsAsFull;

    /// <summary>Makes an empty inbox. Any thread.</summary>
    public InboxCore(IInboxOwner owner, InboxShared shared, InboxLimits limits)
    {
        _owner = owner;
        _shared = shared;
        _limits = limits;
        _notes = new InboxNotes(_ring);
        _holdsBeforeConsumer = limits.BufferBeforeFirstRead;
    }

    /// <summary>The handle. Any thread.</summary>
    public IInboxOwner Owner => _owner;

    /// <summary>Unread messages. Any thread.</summary>
    public long Messages => _depth.Messages;

    /// <summary>Unread bytes, and bytes of leases not yet disposed of. Any thread.</summary>
    public long Bytes => _depth.Bytes;

    /// <summary>Memory that is kept from being used again. Any thread.</summary>
    public long PinnedBytes => _depth.Pinned;

    /// <summary>Messages that readers have been given. Any thread.</summary>
    public long MessagesRead => _depth.Read;

    /// <summary>Place in the budget's list of inboxes with content; -1: not there.</summary>
    public int ActiveIndex { get; set; } = -1;

    /// <summary>What the budget has counted for this inbox.</summary>
    public long AccountedBytes { get; set; }

    /// <summary>What the budget has counted for this inbox.</summary>
    public long AccountedPinned { get; set; }

    /// <summary>What has been counted of <see cref="MessagesRead"/>: by the budget, and after the inbox has been closed by its reader.</summary>
    public long AccountedRead { get; set; }

    /// <summary>True while something may have to be published.</summary>
    public bool IsTouched { get; private set; }

    /// <summary>True once somebody has read, or an inline handler was the first consumer. Any thread.</summary>
    public bool HasConsumer => Volatile.Read(ref _hasConsumer) != 0;

    /// <summary>What the reader, and whoever disposes of leases, count in.</summary>
    internal ref InboxDepth Depth => ref _depth;

    internal InboxRing Ring => _ring;

    internal InboxNotes Notes => _notes;

    internal InboxShared Shared => _shared;

    internal EndMark? End => Volatile.Read(ref _end);

    /// <summary>True when the reader would find something that is its own. Any thread.</summary>
    internal bool HasReadable => _first.MayRead && _ring.HasPublished;

    /// <summary>False while what is stored belongs to a handler. Any thread.</summary>
    internal bool MayRead => _first.MayRead;

    /// <summary>Messages that a reader takes at a time: one where what it has taken could be replaced while it waits.</summary>
    internal int BatchMessages => _limits.ReplacesByKey ? 1 : Math.Clamp(_limits.Capacity / 2, 1, InboxShared.BatchEntries);

    /// <summary>Takes delivered messages; keeps references on their memory, or copies.</summary>
    public void OnMessages(NodeInfo sender, in DeliveryBatch run)
    {
        bool hasConsumer = HasConsumer;
        if ((!hasConsumer && !HoldsForReader) || Volatile.Read(ref _isDiscarded)) return;
        for (int index = 0; index < run.Count && !_takesNothing; index++)
        {
            Slice payload = run[index];
            Store(new DeliveredMessage(sender, run.Number + (ulong)index, payload), hasConsumer);
        }
    }

    /// <summary>Notes a change of the view.</summary>
    public void OnViewChanged(GroupView view)
    {
        if (_takesNothing) return;
        _notes.OnViewChanged(view);
        IsTouched = true;
    }

    /// <summary>Notes messages that will never come; nothing where messages are not kept either.</summary>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        if (_takesNothing || (!HoldsForReader && !HasConsumer)) return;
        _notes.OnLoss(sender, first, count, reason);
        IsTouched = true;
    }

    /// <summary>Shows the reader what has come in this turn, all at once.</summary>
    public void Publish()
    {
        IsTouched = false;
        _ring.Publish();
        _notes.Publish();
        if (!_isClosed) _shared.Budget.Update(this);
        WakeReader();
    }

    /// <summary>
    /// Nothing more comes: the reader gets what is stored, then the end. After a normal end there will be no other reader, so without one what is
    /// stored goes home at once; after a failure it waits. An end or a discard told before holds. Again: nothing.
    /// </summary>
    /// <param name="reason">What readers get at the end; null: a normal end.</param>
    public void Close(Exception? reason)
    {
        if (_isClosed) return;
        _isClosed = _takesNothing = true;
        Publish();
        _shared.Budget.Remove(this);
        Volatile.Write(ref _countsLateReads, true);
        SetEnd(reason);
        if (reason is null || Volatile.Read(ref _isDiscarded)) Discard();
    }

    /// <summary>Ends the readers after what is visible, when the core cannot: it hangs, or is gone. Any thread.</summary>
    public void SetEnd(Exception? reason)
    {
        Interlocked.CompareExchange(ref _end, new EndMark(reason), null);
        WakeReader();
    }

    /// <summary>There is no memory: what no reader has taken yet is given up, and nothing more is taken.</summary>
    public void GiveUp()
    {
        _takesNothing = true;
        while (_ring.TryPop(out InboxEntry entry))
        {
            if (entry.IsMessage) Forget(entry);
        }
        IsTouched = true;
    }

    /// <summary>The handle is gone: what is stored goes home, at once or when the present reader stops. Any thread.</summary>
    public void Discard()
    {
        lock (_readerLock)
        {
            _isDiscarded = true;
            if (!_isBeingRead) DropStored();
        }
    }

    /// <summary>An inline handler is attached: what is held is its own if it is the first consumer. Any thread.</summary>
    /// <returns>True: <see cref="TryTakeHeld"/> until there is nothing, then <see cref="EndReservation"/>.</returns>
    public bool TryReserve() => _first.TryReserve();

    /// <summary>Takes the oldest message held, for the handler that has the reservation.</summary>
    /// <param name="entry">The message; <see cref="Forget"/> must follow.</param>
    /// <returns>False when there is none.</returns>
    public bool TryTakeHeld(out InboxEntry entry)
    {
        while (_ring.TryPop(out entry))
        {
            if (entry.IsMessage) return true;
            _heldView = entry.Body as GroupView ?? _heldView;
        }
        return false;
    }

    /// <summary>A message that was taken back has been used: its memory goes home.</summary>
    public void Forget(in InboxEntry dropped)
    {
        _depth.OnTakenBack(dropped);
        dropped.Chunk?.Release();
    }

    /// <summary>Ends a reservation.</summary>
    /// <param name="isTaken">True: all has been handed over, and nothing is held from now on unless somebody reads. False: the handler has gone, and
    /// what is left is held for the next consumer.</param>
    public void EndReservation(bool isTaken)
    {
        if (isTaken) _holdsBeforeConsumer = false;
        if (_heldView is { } view) _notes.OnEarlierView(view);
        _heldView = null;
        _first.EndReservation(isTaken);
        IsTouched = true;
    }

    /// <summary>Ends a reservation of which the core has not heard, and will not. Any thread.</summary>
    public void CancelReservation()
    {
        _first.EndReservation(isTaken: false);
        WakeReader();
    }

    /// <summary>An inline handler is attached before the first message: nothing is held unless somebody reads.</summary>
    public void StopHolding()
    {
        _holdsBeforeConsumer = false;
        _first.SetHandler();
    }

    /// <summary>A reader is about to come: from now on messages are stored for it. Any thread.</summary>
    public void ExpectReader() => _first.ExpectReader();

    /// <summary>Over the node's limit, and this inbox holds most: it acts as full.</summary>
    public void ActAsFull(bool full)
    {
        _actsAsFull = full;
        _roomMessages = 0;
    }

    /// <summary>Begins reading. Any thread, one at a time.</summary>
    /// <exception cref="InvalidOperationException">Somebody else is reading.</exception>
    public InboxReader BeginRead()
    {
        lock (_readerLock)
        {
            if (_isBeingRead)
            {
                throw new InvalidOperationException(
                    "Somebody is reading the group already: a handle has one reader at a time. "
                    + "Join the group again for another, with its own inbox.");
            }
            _isBeingRead = true;
            _first.ExpectReader();
            Volatile.Write(ref _hasConsumer, 1);
            if (_reader is null) Volatile.Write(ref _reader, new InboxReader(this));
            return _reader!;
        }
    }

    /// <summary>Ends reading. The reader's thread.</summary>
    public void EndRead()
    {
        lock (_readerLock)
        {
            _isBeingRead = false;
            CountLateReads();
            if (_isDiscarded) DropStored();
            else _reader?.Pause();
        }
    }

    /// <summary>Counts what was read after the core had looked for the last time; nothing before that. By whoever reads.</summary>
    internal void CountLateReads()
    {
        if (!Volatile.Read(ref _countsLateReads)) return;
        long read = MessagesRead;
        if (read > AccountedRead) _shared.OnLateReads(read - AccountedRead);
        AccountedRead = read;
    }

    private bool HoldsForReader => _holdsBeforeConsumer || _first.IsReaderExpected;

    private void Store(in DeliveredMessage message, bool hasConsumer)
    {
        int length = message.Payload.Length;
        ulong? key = _limits.ReplacesByKey ? Replace(message) : null;
        if (!TryTakeRoom(length) && !TryMakeRoom(message, hasConsumer)) return;
        if (_notes.MayPrecede) _notes.PlaceBefore(message.Sender);
        InboxEntry entry = _pins.ToEntry(message, _limits, _depth, _shared.Budget);
        Append(entry, key);
        _depth.OnStored(length, entry.Pinned);
        IsTouched = true;
    }

    private void Append(in InboxEntry entry, ulong? key)
    {
        try
        {
            if (_limits.ReplacesByKey) _ring.AppendKeyed(entry, key);
            else _ring.Append(entry);
        }
        catch (OutOfMemoryException)
        {
            entry.Chunk?.Release();
            throw;
        }
    }

    // The unread message with the same key goes, whether there is room or not.
    private ulong? Replace(in DeliveredMessage message)
    {
        if (_owner.ReadKey(message) is not { } key) return null;
        if (!_ring.TrySupersede(key, out InboxEntry replaced)) return key;
        Forget(replaced);
        IsTouched = true;
        _owner.OnDropped(replaced.Sender!, LossReason.Superseded);
        return key;
    }

    // Of the room found at the last look. Where there is too little, some of it has been taken all the same: no matter, since TryMakeRoom counts the
    // room anew, or leaves none.
    private bool TryTakeRoom(int length)
    {
        _roomMessages--;
        if (_roomMessages < 0) return false;
        _roomBytes -= length;
        return _roomBytes >= 0;
    }

    private bool TryMakeRoom(in DeliveredMessage message, bool hasConsumer)
    {
        int length = message.Payload.Length;
        while (true)
        {
            long messages = Messages;
            long bytes = Bytes;
            bool fits = messages < _limits.Capacity && (bytes == 0 || bytes + length <= _limits.Bytes);
            if (fits && _actsAsFull) _shared.Budget.LookAgain();
            if (fits && !_actsAsFull)
            {
                _roomMessages = _limits.Capacity - messages - 1;
                _roomBytes = _limits.Bytes - bytes - length;
                return true;
            }
            OverflowPolicy policy = hasConsumer ? _limits.Overflow : OverflowPolicy.DropOldest;
            LossReason reason = hasConsumer ? LossReason.Overflow : LossReason.Unread;
            if (policy == OverflowPolicy.FailGroup)
            {
                _takesNothing = true;
                _owner.OnOverflow(messages, _depth.Leased);
                return false;
            }
            if (policy == OverflowPolicy.DropNewest || !_ring.TryDropOldest(reason, out InboxEntry dropped))
            {
                OnLoss(message.Sender, message.Number, 1, reason);
                _owner.OnDropped(message.Sender, reason);
                return false;
            }
            Forget(dropped);
            _owner.OnDropped(dropped.Sender!, reason);
            if (fits) return true;
        }
    }

    // Fenced by the signal: a reader that declared its wait before this sees what was published, or is seen here.
    private void WakeReader()
    {
        Interlocked.MemoryBarrier();
        Volatile.Read(ref _reader)?.Signal.SetIfWaiting();
    }

    private void DropStored()
    {
        _reader?.DropBatch();
        while (_ring.TryPopVisible(out InboxEntry entry))
        {
            if (entry.IsMessage) _depth.OnConsumed(entry.Length);
            _depth.OnUnpinned(entry.Pinned);
            if (entry.Chunk is { } chunk) _shared.Returns.Add(chunk);
        }
    }
}
