using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// The core's side of one handle's inbox. It stores delivered messages, publishes them once a turn, and bounds the
/// unread ones. Members are for the core thread unless they say otherwise.
/// <para>Idea: an entry is a reference to the received packet's memory (<see cref="InboxPins"/>), so storing copies
/// nothing. A message reads the reader's counters (<see cref="InboxDepth"/>) only when the room found at the last check
/// is used up.</para>
/// <para>Where messages have keys (<see cref="GroupOptions.Key"/>), one replaces the unread one with its key, even if
/// the inbox is not full or has no reader yet. A reader then takes one message at a time, so that the unread rest can
/// still be replaced. The policy decides when the inbox is full of other keys.</para>
/// <para>Before the first consumer (<see cref="FirstConsumer"/>) a full inbox drops its oldest message under every
/// policy, and reports that to the first event reader. Afterwards the policy decides. Each loss is recorded at its
/// position. The ring keeps the losses at its head. Events at the tail (a dropped new message, a loss of the protocol,
/// a view change) are <see cref="IdleNotes"/>, because no message may ever follow them. Those that must precede a later
/// message then become entries.</para>
/// </summary>
internal sealed class InboxCore : HandleInbox, IBudgetedInbox
{
    private readonly InboxLimits _limits;
    private readonly IInboxOwner _owner;
    private readonly NodeInboxes _shared;
    private readonly InboxRing _ring = new();
    private readonly InboxNotes _notes;
    private ReaderSlot _readers = new();
    private bool _countsLateReads;
    private EndMark? _end;
    private int _hasConsumer;
    private FirstConsumer _first;
    private InboxDepth _depth;

    // Core thread only.
    private InboxPins _pins;
    private GroupView? _heldView;
    private InboxRoom _room;
    private bool _holdsBeforeConsumer;
    private bool _takesNothing;
    private bool _isClosed;
    private bool _isTouched;

    /// <summary>Creates an empty inbox. Any thread.</summary>
    public InboxCore(IInboxOwner owner, NodeInboxes shared, InboxLimits limits)
    {
        _owner = owner;
        _shared = shared;
        _limits = limits;
        _notes = new InboxNotes(_ring);
        _holdsBeforeConsumer = limits.BufferBeforeFirstRead;
    }

    /// <summary>The handle. Any thread.</summary>
    public override IInboxOwner Owner => _owner;

    /// <summary>Unread messages. Any thread.</summary>
    public override long Messages => _depth.Messages;

    /// <inheritdoc/>
    public override bool IsIdle => _readers.IsIdle && Messages == 0;

    /// <summary>Bytes of unread messages and of undisposed leases. Any thread.</summary>
    public override long Bytes => _depth.Bytes;

    /// <summary>Bytes of memory that unread messages and leases pin. Any thread.</summary>
    public long PinnedBytes => _depth.Pinned;

    /// <summary>Messages that readers have received. Any thread.</summary>
    public long MessagesRead => _depth.Read;

    /// <summary>Index in the budget's list of active inboxes; -1 if absent.</summary>
    public int ActiveIndex { get; set; } = -1;

    /// <summary>Bytes that the budget has counted for this inbox.</summary>
    public long AccountedBytes { get; set; }

    /// <summary>Pinned bytes that the budget has counted for this inbox.</summary>
    public long AccountedPinned { get; set; }

    /// <summary>The counted part of <see cref="MessagesRead"/>: by the budget, or by the reader once the inbox is
    /// closed.</summary>
    public long AccountedRead { get; set; }

    /// <summary>True while there may be something to publish.</summary>
    public override bool IsTouched => _isTouched;

    /// <summary>True once a reader has started, or an inline handler was the first consumer. Any thread.</summary>
    public bool HasConsumer => Volatile.Read(ref _hasConsumer) != 0;

    /// <summary>Counters that the reader, and the threads that dispose of leases, write to.</summary>
    internal ref InboxDepth Depth => ref _depth;

    internal InboxRing Ring => _ring;
    internal InboxNotes Notes => _notes;
    internal NodeInboxes Shared => _shared;
    internal EndMark? End => Volatile.Read(ref _end);

    /// <summary>Whether the reader would find entries that belong to it. Any thread.</summary>
    internal bool HasReadable => _first.MayRead && _ring.HasPublished;

    /// <summary>False while the stored messages belong to a handler. Any thread.</summary>
    internal bool MayRead => _first.MayRead;

    /// <summary>Limit on the messages a reader takes at a time.</summary>
    internal int BatchMessages => _limits.BatchMessages;

    /// <summary>Stores delivered messages, as references to their memory or as copies.</summary>
    public override void OnMessages(NodeInfo sender, in DeliveryBatch batch)
    {
        bool hasConsumer = HasConsumer;
        if ((!hasConsumer && !HoldsForReader) || _readers.IsDiscarded) return;
        for (int index = 0; index < batch.Count && !_takesNothing; index++)
        {
            Slice payload = batch[index];
            Store(new DeliveredMessage(sender, batch.Number + (ulong)index, payload), hasConsumer);
        }
    }

    /// <summary>Records a change of the view.</summary>
    public override void OnViewChanged(GroupView view)
    {
        if (_takesNothing) return;
        _notes.OnViewChanged(view);
        _isTouched = true;
    }

    /// <summary>Records messages that will never arrive; ignored while the inbox stores no messages.</summary>
    public override void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        if (_takesNothing || (!HoldsForReader && !HasConsumer)) return;
        _notes.OnLoss(sender, first, count, reason);
        _isTouched = true;
    }

    /// <summary>Makes the messages of this turn visible to the reader, all at once.</summary>
    public override void Publish()
    {
        _isTouched = false;
        _ring.Publish();
        _notes.Publish();
        if (!_isClosed) _shared.Budget.Update(this);
        _readers.Wake();
    }

    /// <summary>Closes the inbox: the reader gets the stored messages, then the end. After a normal end no new reader
    /// can start, so without a present one the messages are released at once; after a failure they stay. An earlier end
    /// or discard takes precedence. Further calls have no effect.</summary>
    /// <param name="reason">The exception for readers at the end; null for a normal end.</param>
    public override void Close(Exception? reason)
    {
        if (_isClosed) return;
        _isClosed = _takesNothing = true;
        Publish();
        _shared.Budget.Remove(this);
        Volatile.Write(ref _countsLateReads, true);
        SetEnd(reason);
        if (reason is null || _readers.IsDiscarded) Discard();
    }

    /// <summary>Ends the readers after the visible messages, for a core that hangs or has ended. Any thread.</summary>
    public override void SetEnd(Exception? reason)
    {
        Interlocked.CompareExchange(ref _end, EndMark.Of(reason), null);
        _readers.Wake();
    }

    /// <summary>Counts a lease that has ended. Any thread.</summary>
    public override void OnLeaseEnded(in InboxEntry entry) => _depth.OnLeaseReleased(entry);

    /// <summary>Discards all messages that no reader has taken, and stops storing, for lack of memory.</summary>
    public override void GiveUp()
    {
        _takesNothing = true;
        while (_ring.TryPop(out InboxEntry entry))
        {
            if (entry.IsMessage) Forget(entry);
        }
        _isTouched = true;
    }

    /// <summary>Releases an ended handle's messages, at once or when the present reader stops. Any thread.</summary>
    public override void Discard() => _readers.Discard(this);

    /// <summary>Reserves the buffered messages for an inline handler, the first consumer. Any thread.</summary>
    /// <returns>True: call <see cref="TryTakeHeld"/> until it fails, then <see cref="EndReservation"/>.</returns>
    public bool TryReserve() => _first.TryReserve();

    /// <summary>Takes the oldest buffered message for the handler with the reservation.</summary>
    /// <param name="entry">The message; <see cref="Forget"/> must follow.</param>
    /// <returns>False if there is none.</returns>
    public bool TryTakeHeld(out InboxEntry entry)
    {
        while (_ring.TryPop(out entry))
        {
            if (entry.IsMessage) return true;
            _heldView = entry.Body as GroupView ?? _heldView;
        }
        return false;
    }

    /// <summary>Releases the memory of a message that was taken out of the inbox.</summary>
    public void Forget(in InboxEntry dropped)
    {
        _depth.OnTakenBack(dropped);
        dropped.Chunk?.Release();
    }

    /// <summary>Ends a reservation.</summary>
    /// <param name="isTaken">True if all buffered messages were delivered: from now on none are stored without a
    /// reader. False if the handler was detached: the rest stays for the next consumer.</param>
    public void EndReservation(bool isTaken)
    {
        if (isTaken) _holdsBeforeConsumer = false;
        if (_heldView is { } view) _notes.OnEarlierView(view);
        _heldView = null;
        _first.EndReservation(isTaken);
        _isTouched = true;
    }

    /// <summary>Ends a reservation that the core will never see. Any thread.</summary>
    public void CancelReservation()
    {
        _first.EndReservation(isTaken: false);
        _readers.Wake();
    }

    /// <summary>Stops buffering, since an inline handler precedes the first message; readers still get
    /// storage.</summary>
    public void StopHolding()
    {
        _holdsBeforeConsumer = false;
        _first.SetHandler();
    }

    /// <summary>Announces a reader: from now on messages are stored for it. Any thread.</summary>
    public void ExpectReader() => _first.ExpectReader();

    /// <summary>Makes this inbox, the node's largest, behave as full while the node's limit is exceeded.</summary>
    public void ActAsFull(bool full) => _room.ActAsFull(full);

    /// <summary>Begins reading. Any thread, one reader at a time.</summary>
    /// <exception cref="InvalidOperationException">Another reader is active.</exception>
    public InboxReader BeginRead() => _readers.Take(this);

    /// <summary>Ends reading. The reader's thread.</summary>
    public void EndRead() => _readers.Release(this);

    /// <summary>A reader begins: from now on there is a consumer, and messages are stored for it.</summary>
    internal void OnReaderTaken()
    {
        _first.ExpectReader();
        Volatile.Write(ref _hasConsumer, 1);
    }

    /// <summary>Releases the stored messages. No reader is active, or the one that is has ended.</summary>
    /// <param name="reader">The reader, with the batch that it took last; null when there was none.</param>
    internal void DropStored(InboxReader? reader)
    {
        reader?.DropBatch();
        while (_ring.TryPopVisible(out InboxEntry entry))
        {
            if (entry.IsMessage) _depth.OnConsumed(entry.Length);
            _depth.OnUnpinned(entry.Pinned);
            if (entry.Chunk is { } chunk) _shared.Returns.Add(chunk);
        }
    }

    /// <summary>Counts messages that were read after the core's last count. The reader's thread.</summary>
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
        if (!_room.TryTake(length) && !TryMakeRoom(message, hasConsumer)) return;
        if (_notes.MayPrecede) _notes.PlaceBefore(message.Sender);
        InboxEntry entry = _pins.ToEntry(message, _limits, _depth, _shared.Budget);
        Append(entry, key);
        _depth.OnStored(length, entry.Pinned);
        _isTouched = true;
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

    // Removes the unread message with the same key, even if there is room.
    private ulong? Replace(in DeliveredMessage message)
    {
        if (_owner.ReadKey(message) is not { } key) return null;
        if (!_ring.TrySupersede(key, out InboxEntry replaced)) return key;
        Forget(replaced);
        _isTouched = true;
        _owner.OnDropped(replaced.Sender!, LossReason.Superseded);
        return key;
    }

    private bool TryMakeRoom(in DeliveredMessage message, bool hasConsumer)
    {
        int length = message.Payload.Length;
        while (true)
        {
            long messages = Messages;
            long bytes = Bytes;
            bool fits = _limits.Fits(messages, bytes, length);
            if (fits && _room.ActsAsFull) _shared.Budget.LookAgain();
            if (fits && !_room.ActsAsFull)
            {
                _room.Set(_limits.Capacity - messages - 1, _limits.Bytes - bytes - length);
                return true;
            }
            OverflowPolicy policy = hasConsumer ? _limits.Overflow : OverflowPolicy.DropOldest;
            LossReason reason = hasConsumer ? LossReason.Overflow : LossReason.Unread;
            if (policy == OverflowPolicy.FailGroup)
            {
                _takesNothing = true;
                _owner.OnOverflow(messages, bytes, _depth.Leased);
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
}
