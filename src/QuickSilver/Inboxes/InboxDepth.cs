namespace QuickSilver.Inboxes;

/// <summary>
/// How much waits in one inbox: the difference of counters with one side each. The core counts what it stores and takes back; the reader, and whoever
/// disposes of a lease, count what has gone. So nothing is locked, and what anybody reads may be a moment old, but never adds up wrong. A field of
/// <see cref="InboxCore"/>, never copied.
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

    /// <summary>Unread bytes, and bytes of leases not yet disposed of. Any thread.</summary>
    public readonly long Bytes => Math.Max(0, Volatile.Read(in _bytesIn) - Volatile.Read(in _bytesOut));

    /// <summary>Bytes of leases not yet disposed of. Any thread.</summary>
    public readonly long Leased => Math.Max(0, Volatile.Read(in _leasedIn) - Volatile.Read(in _leasedOut));

    /// <summary>Memory that is kept from being used again. Any thread.</summary>
    public readonly long Pinned => Math.Max(0, Volatile.Read(in _pinnedIn) - Volatile.Read(in _pinnedOut));

    /// <summary>Messages that readers have been given, as copies or leases. Any thread.</summary>
    public readonly long Read => Volatile.Read(in _messagesRead);

    /// <summary>A message was stored. Core thread only.</summary>
    public void OnStored(int length, int pinned)
    {
        Volatile.Write(ref _messagesIn, _messagesIn + 1);
        Volatile.Write(ref _bytesIn, _bytesIn + length);
        if (pinned > 0) Volatile.Write(ref _pinnedIn, _pinnedIn + pinned);
    }

    /// <summary>A stored message was taken back before a reader had it. Core thread only.</summary>
    public void OnTakenBack(in InboxEntry entry)
    {
        Volatile.Write(ref _messagesIn, _messagesIn - 1);
        Volatile.Write(ref _bytesIn, _bytesIn - entry.Length);
        Volatile.Write(ref _pinnedIn, _pinnedIn - entry.Pinned);
    }

    /// <summary>The reader is about to hand over a message. The reader's thread, before the message counts as gone: whoever sees an empty inbox sees
    /// all that was read.</summary>
    public void OnRead() => Volatile.Write(ref _messagesRead, _messagesRead + 1);

    /// <summary>A message is gone: handed over, or thrown away with the inbox. The reader's thread.</summary>
    /// <param name="bytes">That count no more.</param>
    public void OnConsumed(long bytes)
    {
        Volatile.Write(ref _messagesOut, _messagesOut + 1);
        if (bytes > 0) Interlocked.Add(ref _bytesOut, bytes);
    }

    /// <summary>The reader has handed over a lease: its bytes count until it ends. The reader's thread.</summary>
    public void OnLeased(long bytes)
    {
        Volatile.Write(ref _messagesOut, _messagesOut + 1);
        Volatile.Write(ref _leasedIn, _leasedIn + bytes);
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
        Interlocked.Add(ref _leasedOut, entry.Length);
        OnUnpinned(entry.Pinned);
    }
}
