using QuickSilver.Protocol.Delivery;

namespace QuickSilver.Inboxes.Shared;

/// <summary>
/// The core's side of an inbox that several groups share: one ring, one reader, one limit, whatever the number of
/// groups. What belongs to a group is in its <see cref="SharedPart"/>. Members are for the core thread unless they say
/// otherwise.
/// <para>
/// A message must fit the limits of its group and those of the inbox. If it does not, the policy of its group decides,
/// whichever limit it was: no group ever drops or ends for another's message.
/// </para>
/// </summary>
internal sealed class SharedInbox : IBudgetedInbox
{
    private readonly InboxLimits _limits;
    private readonly Lock _readerLock = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private SharedReader? _reader;
    private EndMark? _end;
    private bool _isBeingRead;
    private bool _isDiscarded;
    private bool _countsLateReads;
    private bool _tellsEvents;
    private int _isReaderExpected;
    private int _hasConsumer;
    private int _hasEnded;
    private InboxDepth _depth;

    // Core thread only.
    private bool _isClosed;
    private InboxPins _pins;
    private long _roomMessages;
    private long _roomBytes;
    private bool _actsAsFull;
    private bool _isTouched;

    /// <summary>Creates an empty inbox. Any thread.</summary>
    /// <param name="node">What the inboxes of the node have in common.</param>
    /// <param name="maxMessages">Limit on the unread messages of all groups.</param>
    /// <param name="maxBytes">Limit on the unread bytes of all groups.</param>
    public SharedInbox(NodeInboxes node, int maxMessages, long maxBytes)
    {
        Node = node;
        _limits = new InboxLimits(maxMessages, maxBytes, OverflowPolicy.FailGroup, BufferBeforeFirstRead: true);
    }

    /// <summary>What the inboxes of the node have in common. Any thread.</summary>
    public NodeInboxes Node { get; }

    /// <summary>The entries of all groups.</summary>
    public SharedRing Ring { get; } = new();

    /// <inheritdoc/>
    public long Messages => _depth.Messages;

    /// <inheritdoc/>
    public long Bytes => _depth.Bytes;

    /// <inheritdoc/>
    public long PinnedBytes => _depth.Pinned;

    /// <inheritdoc/>
    public long MessagesRead => _depth.Read;

    /// <inheritdoc/>
    public int ActiveIndex { get; set; } = -1;

    /// <inheritdoc/>
    public long AccountedBytes { get; set; }

    /// <inheritdoc/>
    public long AccountedPinned { get; set; }

    /// <inheritdoc/>
    public long AccountedRead { get; set; }

    /// <summary>Completes when the inbox has ended; faults with the reason, if there is one. Any thread.</summary>
    public Task Completion => _completion.Task;

    /// <summary>True once no group may join with this inbox. Any thread.</summary>
    public bool HasEnded => Volatile.Read(ref _hasEnded) != 0;

    /// <summary>True once nothing is stored any more.</summary>
    public bool TakesNothing => _isClosed || Volatile.Read(ref _isDiscarded);

    /// <summary>True once a reader has started. Any thread.</summary>
    public bool HasConsumer => Volatile.Read(ref _hasConsumer) != 0;

    /// <summary>True once a reader is expected. Any thread.</summary>
    public bool IsReaderExpected => Volatile.Read(ref _isReaderExpected) != 0;

    /// <summary>True once views and ends of groups are stored too. Any thread.</summary>
    public bool TellsEvents => Volatile.Read(ref _tellsEvents);

    /// <summary>How the inbox ended; null while it has not. Any thread.</summary>
    public EndMark? End => Volatile.Read(ref _end);

    /// <summary>Fill level. The reader, and the threads that dispose of leases, write to it.</summary>
    public ref InboxDepth Depth => ref _depth;

    /// <summary>Limit on the messages that a reader takes at a time.</summary>
    public int BatchMessages => Math.Clamp(_limits.Capacity / 2, 1, NodeInboxes.BatchEntries);

    /// <summary>Creates the part of a handle. Any thread.</summary>
    public SharedPart CreatePart(IInboxOwner owner, InboxLimits limits) => new(this, owner, limits);

    /// <summary>Creates the entry of a message, as a reference or a copy.</summary>
    public InboxEntry ToEntry(in DeliveredMessage message) => _pins.ToEntry(message, _limits, _depth, Node.Budget);

    /// <summary>Counts a stored message.</summary>
    public void OnStored(int length, int pinned)
    {
        _depth.OnStored(length, pinned);
        Touch();
    }

    /// <summary>Counts a message as removed before a reader took it, and releases its memory.</summary>
    public void Forget(in InboxEntry dropped)
    {
        _depth.OnTakenBack(dropped);
        _pins.OnReleased(dropped);
        dropped.Chunk?.Release();
    }

    /// <summary>Uses the room found at the last check.</summary>
    public bool TryTakeRoom(int length)
    {
        _roomMessages--;
        if (_roomMessages < 0) return false;
        _roomBytes -= length;
        return _roomBytes >= 0;
    }

    /// <summary>Whether a message is within the inbox's own limits.</summary>
    public bool Fits(int length)
    {
        long bytes = Bytes;
        return Messages < _limits.Capacity && (bytes == 0 || bytes + length <= _limits.Bytes);
    }

    /// <summary>Takes room for a message that fits, and notes the rest.</summary>
    /// <returns>False while the node's limit is exceeded, and this inbox is its largest.</returns>
    public bool TryMakeRoom(int length)
    {
        if (_actsAsFull) Node.Budget.LookAgain();
        if (_actsAsFull) return false;
        _roomMessages = _limits.Capacity - Messages - 1;
        _roomBytes = _limits.Bytes - Bytes - length;
        return true;
    }

    /// <inheritdoc/>
    public void ActAsFull(bool full)
    {
        _actsAsFull = full;
        _roomMessages = 0;
    }

    /// <summary>Has the inbox published at the end of this turn.</summary>
    public void Touch()
    {
        if (_isTouched) return;
        _isTouched = true;
        Node.Touched.Add(this);
    }

    /// <summary>Makes the turn's entries visible to the reader, all at once.</summary>
    public void Publish()
    {
        _isTouched = false;
        Ring.Publish();
        if (!_isClosed) Node.Budget.Update(this);
        WakeReader();
    }

    /// <summary>Stores views and ends of groups from now on. Any thread.</summary>
    public void TellEvents() => Volatile.Write(ref _tellsEvents, true);

    /// <summary>Refuses joins and readers from now on. Any thread.</summary>
    /// <returns>False if it had ended already.</returns>
    public bool TryEnd() => Interlocked.Exchange(ref _hasEnded, 1) == 0;

    /// <summary>Closes the inbox: the reader gets the stored entries, then the end. After a normal end without a
    /// present reader they are released at once; after a failure they stay. Further calls have no effect.</summary>
    /// <param name="reason">The exception for readers at the end; null for a normal end.</param>
    public void Close(Exception? reason)
    {
        if (_isClosed) return;
        _isClosed = true;
        Publish();
        Node.Budget.Remove(this);
        Volatile.Write(ref _countsLateReads, true);
        SetEnd(reason);
        if (reason is null) Discard();
    }

    /// <summary>Ends the readers after the visible entries. The first end wins. Any thread.</summary>
    public void SetEnd(Exception? reason)
    {
        TryEnd();
        if (Interlocked.CompareExchange(ref _end, EndMark.Of(reason), null) is not null) return;
        if (reason is null) _completion.TrySetResult();
        else if (_completion.TrySetException(reason)) _ = _completion.Task.Exception;
        Node.Remove(this);
        WakeReader();
    }

    /// <summary>Releases what is stored, at once or when the present reader stops. Any thread, after the end.</summary>
    public void Discard()
    {
        lock (_readerLock)
        {
            Volatile.Write(ref _isDiscarded, true);
            if (!_isBeingRead) DropStored();
        }
    }

    /// <summary>Announces a reader: from now on messages are stored for it. Any thread.</summary>
    public void ExpectReader() => Interlocked.Exchange(ref _isReaderExpected, 1);

    /// <summary>Begins reading. Any thread, one reader at a time.</summary>
    /// <exception cref="InvalidOperationException">Another reader is active.</exception>
    public SharedReader BeginRead()
    {
        lock (_readerLock)
        {
            if (_isBeingRead)
            {
                throw new InvalidOperationException(
                    "Another reader is active: an inbox has one reader at a time. "
                    + "Create another inbox for some of the groups.");
            }
            _isBeingRead = true;
            ExpectReader();
            Volatile.Write(ref _hasConsumer, 1);
            if (_reader is null) Volatile.Write(ref _reader, new SharedReader(this));
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

    /// <summary>Counts messages that were read after the core's last count. The reader's thread.</summary>
    public void CountLateReads()
    {
        if (!Volatile.Read(ref _countsLateReads)) return;
        long read = MessagesRead;
        if (read > AccountedRead) Node.OnLateReads(read - AccountedRead);
        AccountedRead = read;
    }

    /// <summary>Counts a message that is discarded with the inbox.</summary>
    public void OnDiscarded(in SharedEntry message)
    {
        message.Part.Depth.OnConsumed(message.Entry.Length);
        _depth.OnConsumed(message.Entry.Length);
    }

    // The fence pairs with the signal's: a waiting reader sees the published entries, or this code sees the reader.
    private void WakeReader()
    {
        Interlocked.MemoryBarrier();
        Volatile.Read(ref _reader)?.Signal.SetIfWaiting();
    }

    private void DropStored()
    {
        _reader?.DropBatch();
        while (Ring.TryPopVisible(out SharedEntry entry))
        {
            if (entry.IsMessage) OnDiscarded(entry);
            _depth.OnUnpinned(entry.Entry.Pinned);
            if (entry.Entry.Chunk is { } chunk) Node.Returns.Add(chunk);
        }
    }
}
