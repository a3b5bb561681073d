namespace QuickSilver.Inboxes;

/// <summary>
/// The place of an inbox's one reader at a time, and what becomes of the stored messages when the inbox is discarded: a
/// reader at work releases them when it stops; without one they are released at once. Any thread; a lock orders them. A
/// field of <see cref="InboxCore"/>, never copied.
/// </summary>
internal struct ReaderSlot()
{
    private readonly Lock _lock = new();
    private InboxReader? _reader;
    private bool _isTaken;
    private bool _isDiscarded;

    /// <summary>True once the stored messages were discarded.</summary>
    public readonly bool IsDiscarded => Volatile.Read(in _isDiscarded);

    /// <summary>True while no reader is at work: there is none, or it waits.</summary>
    public readonly bool IsIdle
    {
        get
        {
            lock (_lock) return !_isTaken || _reader is null || _reader.Signal.IsWaiting;
        }
    }

    /// <summary>Takes the place for a reader; the one before continues if there was one.</summary>
    /// <exception cref="InvalidOperationException">Another reader is active.</exception>
    public InboxReader Take(InboxCore inbox)
    {
        lock (_lock)
        {
            if (_isTaken)
            {
                throw new InvalidOperationException(
                    "Another reader is active: a handle has one reader at a time. "
                    + "Join the group again for another, with its own inbox.");
            }
            _isTaken = true;
            inbox.OnReaderTaken();
            if (_reader is null) Volatile.Write(ref _reader, new InboxReader(inbox));
            return _reader!;
        }
    }

    /// <summary>Frees the place. The reader's thread.</summary>
    public void Release(InboxCore inbox)
    {
        lock (_lock)
        {
            _isTaken = false;
            inbox.CountLateReads();
            if (_isDiscarded) inbox.DropStored(_reader);
            else _reader?.Pause();
        }
    }

    /// <summary>Discards the stored messages.</summary>
    public void Discard(InboxCore inbox)
    {
        lock (_lock)
        {
            _isDiscarded = true;
            if (!_isTaken) inbox.DropStored(_reader);
        }
    }

    /// <summary>Wakes a reader that waits. The fence pairs with the signal's: a waiting reader sees the published
    /// entries, or this code sees the reader.</summary>
    public readonly void Wake()
    {
        Interlocked.MemoryBarrier();
        Volatile.Read(in _reader)?.Signal.SetIfWaiting();
    }
}
