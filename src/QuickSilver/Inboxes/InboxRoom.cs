namespace QuickSilver.Inboxes;

/// <summary>
/// The room that the last check of an inbox's fill level found. While it lasts, a message is stored without a look at
/// the reader's counters. Core thread only; a field of <see cref="InboxCore"/>, never copied. O(1).
/// </summary>
internal struct InboxRoom
{
    private long _messages;
    private long _bytes;

    /// <summary>True while the inbox behaves as full, whatever room it has.</summary>
    public bool ActsAsFull { get; private set; }

    /// <summary>Uses room for one message. A failed call may use some too, which is harmless: it is counted again, or
    /// there is no room left.</summary>
    /// <returns>False when there is too little: the fill level has to be checked.</returns>
    public bool TryTake(int length)
    {
        _messages--;
        if (_messages < 0) return false;
        _bytes -= length;
        return _bytes >= 0;
    }

    /// <summary>Records the room that a check has found.</summary>
    public void Set(long messages, long bytes)
    {
        _messages = messages;
        _bytes = bytes;
    }

    /// <summary>Makes the inbox behave as full, or no longer; the next message is checked.</summary>
    public void ActAsFull(bool full)
    {
        ActsAsFull = full;
        _messages = 0;
    }
}
