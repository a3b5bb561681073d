using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes.Shared;

/// <summary>
/// One group's part of a shared inbox: its limits and policy, how much of it is unread, and where its entries lie. It
/// has no storage of its own, so a group that nobody writes to costs this object at most. Members are for the core
/// thread unless they say otherwise.
/// </summary>
internal sealed class SharedPart : HandleInbox
{
    private const int SweepsAbove = 64;

    private readonly SharedInbox _inbox;
    private readonly IInboxOwner _owner;
    private readonly InboxLimits _limits;
    private InboxDepth _depth;
    private long _roomMessages;
    private long _roomBytes;
    private bool _takesNothing;
    private bool _isClosed;
    private GroupView? _lastView;

    // By key, the position of the newest message.
    private Dictionary<ulong, long>? _keys;
    private int _sweepAt = SweepsAbove;

    // Guarded by the ring's lock.
    private int _batch;
    private int _inBatch;

    /// <summary>Creates the empty part of a handle.</summary>
    public SharedPart(SharedInbox inbox, IInboxOwner owner, InboxLimits limits)
    {
        _inbox = inbox;
        _owner = owner;
        _limits = limits;
        if (limits.ReplacesByKey) _keys = [];
        DropsOldest = limits.Overflow == OverflowPolicy.DropOldest || limits.ReplacesByKey;
    }

    /// <inheritdoc/>
    public override IInboxOwner Owner => _owner;

    /// <inheritdoc/>
    public override long Messages => _depth.Messages;

    /// <inheritdoc/>
    public override long Bytes => _depth.Bytes;

    /// <summary>False: the inbox is published as a whole.</summary>
    public override bool IsTouched => false;

    /// <summary>Whether an unread message may be dropped once a reader has started.</summary>
    public bool DropsOldest { get; }

    /// <summary>Whether a reader takes messages of this group one at a time, so that the rest can be
    /// replaced.</summary>
    public bool IsReadAlone => _limits.ReplacesByKey;

    /// <summary>Whether messages have keys.</summary>
    public bool HasKeys => _keys is not null;

    /// <summary>Position of the oldest linked message; before the ring's head if there is none. Guarded by the ring's
    /// lock.</summary>
    public long Oldest { get; set; } = -1;

    /// <summary>Position of the newest linked message. Guarded by the ring's lock.</summary>
    public long Newest { get; set; } = -1;

    /// <summary>Position of the last view, if no message followed it.</summary>
    public long OpenView { get; set; } = -1;

    /// <summary>By sender, the position of the last loss, if no message of the sender followed it.</summary>
    public Dictionary<NodeInfo, long>? OpenLosses { get; set; }

    /// <summary>Whether a reader took a note of this group. Guarded by the ring's lock.</summary>
    public bool IsKnown { get; set; }

    /// <summary>The view that was reported last. The reader's thread.</summary>
    public GroupView? ToldView { get; set; }

    /// <summary>What the reader has passed and not told. The reader's thread.</summary>
    public KeptNotes? Kept { get; set; }

    /// <summary>Fill level. The reader, and the threads that dispose of leases, write to it.</summary>
    public ref InboxDepth Depth => ref _depth;

    /// <inheritdoc/>
    public override void OnMessages(NodeInfo sender, in DeliveryBatch batch)
    {
        if (_inbox.TakesNothing) return;
        bool hasConsumer = _inbox.HasConsumer;
        if (!hasConsumer && !HoldsForReader) return;
        for (int index = 0; index < batch.Count && !_takesNothing; index++)
        {
            Slice payload = batch[index];
            Store(new DeliveredMessage(sender, batch.Number + (ulong)index, payload), hasConsumer);
        }
    }

    /// <inheritdoc/>
    public override void OnViewChanged(GroupView view)
    {
        if (_isClosed || _inbox.TakesNothing || !_inbox.TellsEvents) return;
        if (ReferenceEquals(view, _lastView)) return;
        _lastView = view;
        _inbox.Ring.NoteView(this, view);
        _inbox.Touch();
    }

    /// <inheritdoc/>
    public override void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        if (_takesNothing || _inbox.TakesNothing || (!_inbox.HasConsumer && !HoldsForReader)) return;
        _inbox.Ring.NoteLoss(this, new Loss(sender, first, count, reason));
        _inbox.Touch();
    }

    /// <inheritdoc/>
    public override void Publish()
    {
    }

    /// <inheritdoc/>
    /// <remarks>What is stored stays, and event readers are told of the end after it. The inbox goes on.</remarks>
    public override void Close(Exception? reason)
    {
        if (_isClosed) return;
        _isClosed = _takesNothing = true;
        _keys = null;
        if (!_inbox.TellsEvents || _inbox.TakesNothing) return;
        if (reason is not null || !_inbox.Ring.TryWithdraw(this))
            _inbox.Ring.Append(SharedEntry.Note(this, EndMark.Of(reason)));
        OpenView = -1;
        OpenLosses = null;
        _inbox.Touch();
    }

    /// <summary>Nothing: readers end with the inbox.</summary>
    public override void SetEnd(Exception? reason)
    {
    }

    /// <summary>Nothing: what a group has brought stays readable.</summary>
    public override void Discard()
    {
    }

    /// <inheritdoc/>
    public override void GiveUp()
    {
        _takesNothing = true;
        _inbox.Ring.RemoveAll(this, static removed => removed.Part.Forget(removed.Entry));
        _inbox.Touch();
    }

    /// <inheritdoc/>
    public override void OnLeaseEnded(in InboxEntry entry)
    {
        _depth.OnLeaseReleased(entry with { Pinned = 0 });
        _inbox.Depth.OnLeaseReleased(entry);
    }

    /// <summary>Whether the reader may take another message of this group in a batch. Under the ring's lock.</summary>
    /// <param name="batch">Number of the batch.</param>
    /// <param name="messages">Messages in the batch so far, of all groups.</param>
    public bool MayTake(int batch, int messages)
    {
        if (!DropsOldest) return true;
        if (_limits.ReplacesByKey) return messages == 0;
        if (_batch != batch) (_batch, _inBatch) = (batch, 0);
        return _inBatch++ < Math.Max(1, _limits.Capacity / 2);
    }

    /// <summary>Records the newest message with a key. Positions behind the reader are swept when they are as many as
    /// the live ones.</summary>
    public void OnKeyed(ulong key, long position, long head)
    {
        _keys![key] = position;
        if (_keys.Count <= _sweepAt) return;
        foreach ((ulong old, long at) in _keys)
        {
            if (at < head) _keys.Remove(old);
        }
        _sweepAt = Math.Max(SweepsAbove, _keys.Count * 2);
    }

    /// <summary>Records that a message with a key moved; to -1: it is gone.</summary>
    public void OnKeyMoved(ulong key, long from, long to)
    {
        if (_keys is null || !_keys.TryGetValue(key, out long position) || position != from) return;
        if (to < 0) _keys.Remove(key);
        else _keys[key] = to;
    }

    /// <summary>Records that a loss note moved.</summary>
    public void OnLossMoved(NodeInfo sender, long from, long to)
    {
        if (OpenLosses is not null && OpenLosses.TryGetValue(sender, out long position) && position == from)
            OpenLosses[sender] = to;
    }

    private bool HoldsForReader => _limits.BufferBeforeFirstRead || _inbox.IsReaderExpected;

    private void Store(in DeliveredMessage message, bool hasConsumer)
    {
        int length = message.Payload.Length;
        ulong? key = _limits.ReplacesByKey ? Replace(message) : null;
        if (!TryTakeRoom(length) && !TryMakeRoom(message, hasConsumer)) return;
        if (OpenView >= 0 || OpenLosses is not null) CloseNotes(message.Sender);
        InboxEntry entry = _inbox.ToEntry(message);
        Append(new SharedEntry(this, entry), key, hasConsumer);
        _depth.OnStored(length, 0);
        _inbox.OnStored(length, entry.Pinned);
    }

    private void Append(in SharedEntry entry, ulong? key, bool hasConsumer)
    {
        try
        {
            if (key is { } found) _inbox.Ring.AppendKeyed(entry, found);
            else if (DropsOldest || !hasConsumer) _inbox.Ring.AppendLinked(entry);
            else _inbox.Ring.Append(entry);
        }
        catch (OutOfMemoryException)
        {
            entry.Entry.Chunk?.Release();
            throw;
        }
    }

    private void CloseNotes(NodeInfo sender)
    {
        OpenView = -1;
        if (OpenLosses is null) return;
        OpenLosses.Remove(sender);
        if (OpenLosses.Count == 0) OpenLosses = null;
    }

    private ulong? Replace(in DeliveredMessage message)
    {
        if (_owner.ReadKey(message) is not { } key) return null;
        if (!_keys!.Remove(key, out long position)
            || !_inbox.Ring.TrySupersede(this, position, out InboxEntry replaced))
            return key;
        Forget(replaced);
        _inbox.Touch();
        _owner.OnDropped(replaced.Sender!, LossReason.Superseded);
        return key;
    }

    private bool TryTakeRoom(int length)
    {
        _roomMessages--;
        if (_roomMessages < 0) return false;
        _roomBytes -= length;
        return _roomBytes >= 0 && _inbox.TryTakeRoom(length);
    }

    private bool TryMakeRoom(in DeliveredMessage message, bool hasConsumer)
    {
        int length = message.Payload.Length;
        while (true)
        {
            long messages = Messages;
            long bytes = Bytes;
            bool isMine = messages >= _limits.Capacity || (bytes > 0 && bytes + length > _limits.Bytes);
            bool fits = !isMine && _inbox.Fits(length);
            if (fits && _inbox.TryMakeRoom(length))
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
                if (isMine) _owner.OnOverflow(messages, bytes, _depth.Leased);
                else _owner.OnOverflow(_inbox.Messages, _inbox.Bytes, _inbox.Depth.Leased);
                return false;
            }
            if (policy == OverflowPolicy.DropNewest
                || !_inbox.Ring.TryDropOldest(this, reason, out InboxEntry dropped))
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
        _depth.OnTakenBack(dropped with { Pinned = 0 });
        _inbox.Forget(dropped);
    }
}
