using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>
/// The inbox of one handle, from the core's side: takes messages as they are delivered, shows them to the reader once a turn (<see cref="Publish"/>),
/// and bounds what waits.
/// <para>
/// Idea: an entry is a reference to the received packet's memory, so taking a message copies nothing. Depth is the difference of counters with one
/// writer each: added and dropped by the core, consumed by the reader. A message that fits into the room found at the last look costs no look at the
/// reader's counters.
/// </para>
/// <para>
/// Under <see cref="OverflowPolicy.KeepLatestByKey"/> a message takes the unread one with its key away, full or not, read or not yet read from; full
/// of other keys, the inbox drops its oldest. A reader then takes one message at a time, so that what it has not handed over can still be replaced.
/// </para>
/// <para>
/// Before the first consumer a full inbox drops its oldest, whatever the policy, and the first event reader is told. Afterwards the policy rules.
/// Losses are noted in the place where they belong: those at the head with the ring, those at the tail (dropped new ones, losses of the protocol,
/// view changes) as <see cref="IdleNotes"/>, which become entries when a message follows that they have to stand before.
/// </para>
/// <para>
/// A small message can keep a chunk of 64 KiB. What this inbox keeps so is counted where the chunk changes from one entry to the next, and beyond
/// twice the inbox's limit in bytes, or the node's limit for all inboxes, messages shorter than a quarter of their chunk are copied to arrays of
/// their own instead. So a reader that stands still costs at most three times its limit, whatever arrives.
/// </para>
/// Members are for the core thread unless they say otherwise.
/// </summary>
internal sealed class InboxCore
{
    private const int PinnedPerLimit = 2;
    private const int SmallShare = 4;

    private readonly InboxLimits _limits;
    private readonly IInboxOwner _owner;
    private readonly InboxShared _shared;
    private readonly InboxRing _ring = new();
    private readonly InboxNotes _notes;
    private readonly Lock _readerLock = new();
    private InboxReader? _reader;
    private bool _isBeingRead;
    private bool _isDiscarded;
    private EndMark? _end;
    private int _hasConsumer;

    // Written by the core.
    private long _messagesIn;
    private long _bytesIn;
    private long _pinnedIn;
    private long _roomMessages;
    private long _roomBytes;
    private Chunk? _lastChunk;
    private bool _holdsBeforeConsumer;
    private bool _isClosed;
    private bool _actsAsFull;

    // Written by the reader, and by whoever disposes of a lease.
    private long _messagesOut;
    private long _bytesOut;
    private long _pinnedOut;

    /// <summary>Makes an empty inbox. Any thread.</summary>
    public InboxCore(Group group, IInboxOwner owner, InboxShared shared, InboxLimits limits)
    {
        Group = group;
        _owner = owner;
        _shared = shared;
        _limits = limits;
        _notes = new InboxNotes(_ring);
        _holdsBeforeConsumer = limits.HoldUntilRead;
    }

    /// <summary>The handle. Any thread.</summary>
    public Group Group { get; }

    /// <summary>Unread messages. Any thread.</summary>
    public long Messages => Math.Max(0, Volatile.Read(ref _messagesIn) - Volatile.Read(ref _messagesOut));

    /// <summary>Unread bytes, and bytes of leases not yet disposed of. Any thread.</summary>
    public long Bytes => Math.Max(0, Volatile.Read(ref _bytesIn) - Volatile.Read(ref _bytesOut));

    /// <summary>Memory that is kept from being used again. Any thread.</summary>
    public long PinnedBytes => Math.Max(0, Volatile.Read(ref _pinnedIn) - Volatile.Read(ref _pinnedOut));

    /// <summary>Place in the budget's list of inboxes with content; -1: not there.</summary>
    public int ActiveIndex { get; set; } = -1;

    /// <summary>What the budget has counted for this inbox.</summary>
    public long AccountedBytes { get; set; }

    /// <summary>What the budget has counted for this inbox.</summary>
    public long AccountedPinned { get; set; }

    /// <summary>True while something may have to be published.</summary>
    public bool IsTouched { get; private set; }

    /// <summary>True once somebody has read, or an inline handler was the first consumer. Any thread.</summary>
    public bool HasConsumer => Volatile.Read(ref _hasConsumer) != 0;

    internal InboxRing Ring => _ring;

    internal InboxNotes Notes => _notes;

    internal InboxShared Shared => _shared;

    internal EndMark? End => Volatile.Read(ref _end);

    /// <summary>Messages that a reader takes at a time: one where what it has taken could be replaced while it waits.</summary>
    internal int BatchMessages => _limits.ReplacesByKey ? 1 : Math.Clamp(_limits.Capacity / 2, 1, InboxShared.BatchEntries);

    /// <summary>Takes a delivered message; keeps a reference on its memory, or a copy.</summary>
    public void OnMessage(in DeliveredMessage message)
    {
        if (_isClosed) return;
        bool hasConsumer = HasConsumer;
        if (!hasConsumer && !_holdsBeforeConsumer) return;
        int length = message.Payload.Length;
        ulong? key = _limits.ReplacesByKey ? Replace(message) : null;
        if ((--_roomMessages < 0 || (_roomBytes -= length) < 0) && !TryMakeRoom(message, hasConsumer)) return;
        if (_notes.MayPrecede) _notes.PlaceBefore(message.Sender);
        InboxEntry entry = ToEntry(message);
        if (_limits.ReplacesByKey) _ring.AppendKeyed(entry, key);
        else _ring.Append(entry);
        Volatile.Write(ref _messagesIn, _messagesIn + 1);
        Volatile.Write(ref _bytesIn, _bytesIn + length);
        if (entry.Pinned > 0) Volatile.Write(ref _pinnedIn, _pinnedIn + entry.Pinned);
        IsTouched = true;
    }

    /// <summary>Notes a change of the view.</summary>
    public void OnViewChanged(GroupView view)
    {
        if (_isClosed) return;
        _notes.OnViewChanged(view);
        IsTouched = true;
    }

    /// <summary>Notes messages that will never come; nothing where messages are not kept either.</summary>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        if (_isClosed || (!_holdsBeforeConsumer && !HasConsumer)) return;
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
    /// stored goes home at once; after a failure it waits. Again: nothing.
    /// </summary>
    /// <param name="reason">What readers get at the end; null: a normal end.</param>
    public void Close(Exception? reason)
    {
        if (End is not null) return;
        _isClosed = true;
        Publish();
        _shared.Budget.Remove(this);
        SetEnd(reason);
        if (reason is null || Volatile.Read(ref _isDiscarded)) Discard();
    }

    /// <summary>Ends the readers after what is visible, when the core cannot: it hangs, or is gone. Any thread.</summary>
    public void SetEnd(Exception? reason)
    {
        Interlocked.CompareExchange(ref _end, new EndMark(reason), null);
        WakeReader();
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

    /// <summary>An inline handler is the first consumer: it gets what is held, and nothing is held from now on unless somebody reads.</summary>
    /// <param name="take">Given each held message; the memory is released after the call.</param>
    /// <returns>False when there is a consumer already.</returns>
    public bool TryBecomeInline(Action<InboxEntry> take)
    {
        if (HasConsumer || !_holdsBeforeConsumer) return false;
        _holdsBeforeConsumer = false;
        GroupView? view = null;
        while (_ring.TryPop(out InboxEntry entry))
        {
            view = entry.Body as GroupView ?? view;
            if (!entry.IsMessage) continue;
            take(entry);
            Forget(entry);
        }
        if (view is null) return true;
        _notes.OnEarlierView(view);
        IsTouched = true;
        return true;
    }

    /// <summary>An inline handler is attached before the first message: nothing is held unless somebody reads.</summary>
    public void StopHolding() => _holdsBeforeConsumer = false;

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
            if (_isBeingRead) throw new InvalidOperationException(
                    "Somebody is reading the group already: a handle has one reader at a time. Join the group again for another, with its own inbox.");
            _isBeingRead = true;
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
            if (_isDiscarded) DropStored();
            else _reader?.Pause();
        }
    }

    /// <summary>The reader has handed over messages. The reader's thread.</summary>
    public void OnConsumed(long bytes)
    {
        Volatile.Write(ref _messagesOut, _messagesOut + 1);
        if (bytes > 0) Interlocked.Add(ref _bytesOut, bytes);
    }

    /// <summary>Memory of messages that have been read is on its way home. Any thread.</summary>
    public void OnUnpinned(long bytes)
    {
        if (bytes > 0) Interlocked.Add(ref _pinnedOut, bytes);
    }

    /// <summary>A lease has ended. Any thread.</summary>
    public void OnLeaseReleased(in InboxEntry entry)
    {
        Interlocked.Add(ref _bytesOut, entry.Length);
        OnUnpinned(entry.Pinned);
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

    private bool TryMakeRoom(in DeliveredMessage message, bool hasConsumer)
    {
        int length = message.Payload.Length;
        while (true)
        {
            long messages = Messages;
            long bytes = Bytes;
            bool fits = messages < _limits.Capacity && (bytes == 0 || bytes + length <= _limits.Bytes);
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
                _isClosed = true;
                _owner.OnOverflow(messages);
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

    private void Forget(in InboxEntry dropped)
    {
        Volatile.Write(ref _messagesIn, _messagesIn - 1);
        Volatile.Write(ref _bytesIn, _bytesIn - dropped.Length);
        Volatile.Write(ref _pinnedIn, _pinnedIn - dropped.Pinned);
        dropped.Chunk?.Release();
    }

    private InboxEntry ToEntry(in DeliveredMessage message)
    {
        Slice payload = message.Payload;
        if (payload.Chunk is not { } chunk) return new InboxEntry(Array.Empty<byte>(), message.Sender, message.Number, 0, 0, 0);
        int pinned = 0;
        // Where messages go out of turn, each counts all of its chunk: those around it may be gone first.
        if (!ReferenceEquals(chunk, _lastChunk) || _limits.ReplacesByKey)
        {
            pinned = chunk.Array.Length;
            bool isPinnedOver = PinnedBytes > PinnedPerLimit * _limits.Bytes || _shared.Budget.IsPinnedOver;
            if (isPinnedOver && payload.Length < pinned / SmallShare)
            {
                return new InboxEntry(payload.Span.ToArray(), message.Sender, message.Number, 0, payload.Length, 0);
            }
            _lastChunk = chunk;
        }
        chunk.Retain();
        return new InboxEntry(chunk, message.Sender, message.Number, payload.Offset, payload.Length, pinned);
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
            if (entry.IsMessage) OnConsumed(entry.Length);
            OnUnpinned(entry.Pinned);
            if (entry.Chunk is { } chunk) _shared.Returns.Add(chunk);
        }
    }
}
