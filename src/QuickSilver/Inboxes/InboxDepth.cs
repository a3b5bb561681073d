namespace QuickSilver.Inboxes;

/// <summary>
/// Fill level of one inbox, as differences of counters with one writing side each. The core counts stored and removed
/// messages; the reader, and the threads that dispose of leases, count the released ones. No lock is needed. A value
/// may be slightly old but is never inconsistent. A field of <see cref="InboxCore"/>, never copied.
/// </summary>
internal struct InboxDepth
{
    private long _messagesIn;
    private long _bytesIn;
    private long _pinnedIn;
    private long _messagesOut;
    private long _messagesRead;
    private long _bytesOut;
    private long _pinnedOut;
    private long _leasedIn;
    private long _leasedOut;

    /// <summary>Unread messages. Any thread.</summary>
    public readonly long Messages => Math.Max(0, Volatile.Read(in _messagesIn) - Volatile.Read(in _messagesOut));

    /// <summary>Bytes of unread messages and of undisposed leases. Any thread.</summary>
    public readonly long Bytes => Math.Max(
        0, Volatile.Read(in _bytesIn) - Volatile.Read(in _bytesOut) - Volatile.Read(in _leasedOut));

    /// <summary>Bytes of undisposed leases. Any thread.</summary>
    public readonly long Leased => Math.Max(0, Volatile.Read(in _leasedIn) - Volatile.Read(in _leasedOut));

    /// <summary>Bytes of pinned memory. Any thread.</summary>
    public readonly long Pinned => Math.Max(0, Volatile.Read(in _pinnedIn) - Volatile.Read(in _pinnedOut));

    /// <summary>Messages that readers have received, as copies or leases. Any thread.</summary>
    public readonly long Read => Volatile.Read(in _messagesRead);

    /// <summary>Counts a stored message. Core thread only.</summary>
    public void OnStored(int length, int pinned)
    {
        Volatile.Write(ref _messagesIn, _messagesIn + 1);
        Volatile.Write(ref _bytesIn, _bytesIn + length);
        if (pinned > 0) Volatile.Write(ref _pinnedIn, _pinnedIn + pinned);
    }

    /// <summary>Counts a message that was removed before a reader took it. Core thread only.</summary>
    public void OnTakenBack(in InboxEntry entry)
    {
        Volatile.Write(ref _messagesIn, _messagesIn - 1);
        Volatile.Write(ref _bytesIn, _bytesIn - entry.Length);
        Volatile.Write(ref _pinnedIn, _pinnedIn - entry.Pinned);
    }

    /// <summary>Counts a message that the reader is about to return. The reader's thread, before the message counts as
    /// consumed: a thread that sees an empty inbox then sees every read.</summary>
    public void OnRead() => Volatile.Write(ref _messagesRead, _messagesRead + 1);

    /// <summary>Counts a message as consumed: returned by the reader, or dropped with the inbox. The reader's
    /// thread.</summary>
    /// <param name="bytes">Bytes that are released.</param>
    public void OnConsumed(long bytes)
    {
        Volatile.Write(ref _messagesOut, _messagesOut + 1);
        Volatile.Write(ref _bytesOut, _bytesOut + bytes);
    }

    /// <summary>Counts a lease that the reader has returned; its bytes count until it ends. The reader's
    /// thread.</summary>
    public void OnLeased(long bytes)
    {
        Volatile.Write(ref _messagesOut, _messagesOut + 1);
        Volatile.Write(ref _leasedIn, _leasedIn + bytes);
    }

    /// <summary>Counts memory of read messages that is on its way back to the core. Any thread.</summary>
    public void OnUnpinned(long bytes)
    {
        if (bytes > 0) Interlocked.Add(ref _pinnedOut, bytes);
    }

    /// <summary>Counts a lease that has ended. Any thread.</summary>
    public void OnLeaseReleased(in InboxEntry entry)
    {
        Interlocked.Add(ref _leasedOut, entry.Length);
        OnUnpinned(entry.Pinned);
    }
}
