namespace QuickSilver.Sending;

/// <summary>
/// Messages and bytes that were admitted and not yet taken by the protocol, against their limits. Both are in one word,
/// so an admission is one interlocked addition. A single longer message passes when nothing is unsent; the limit is low
/// while the node is crowded (<see cref="UnsentBudget"/>). Mutable: held as a field, never copied.
/// </summary>
/// <param name="budget">The node's total of unsent messages.</param>
/// <param name="maxMessages">Limit on messages.</param>
/// <param name="maxBytes">Limit on bytes.</param>
internal struct UnsentCount(UnsentBudget budget, int maxMessages, long maxBytes)
{
    private const int MessageShift = 40;
    private const long ByteMask = (1L << MessageShift) - 1;
    private const int FlushMessages = 64;
    private const int FlushBytes = 256 << 10;

    private readonly int _maxMessages = Math.Max(1, maxMessages);
    private readonly long _maxBytes = Math.Max(1, maxBytes);
    private long _word;

    // Core thread only.
    private long _sent;
    private long _noted;
    private bool _isGone;

    /// <summary>Messages admitted and not yet taken. Core thread only.</summary>
    public long Messages => (Interlocked.Read(ref _word) - _sent) >> MessageShift;

    /// <summary>True while a message could be counted; a hint only. Any thread.</summary>
    public bool HasRoom => IsBelowLimit(Interlocked.Read(ref _word));

    /// <summary>True when half of both limits is free. Any thread.</summary>
    public bool IsHalfFree => IsHalf(Interlocked.Read(ref _word));

    /// <summary>Counts a message, unless a limit is reached. Any thread.</summary>
    public bool TryAdd(int bytes)
    {
        long unit = Unit(1, bytes);
        long before = Interlocked.Add(ref _word, unit) - unit;
        if (IsBelowLimit(before)) return true;
        Interlocked.Add(ref _word, -unit);
        return false;
    }

    /// <summary>Takes back a counted message that was not enqueued. Any thread.</summary>
    public void Remove(int bytes) => Interlocked.Add(ref _word, -Unit(1, bytes));

    /// <summary>Counts messages whatever the limits are. Any thread.</summary>
    public void Add(int messages, long bytes) => Interlocked.Add(ref _word, Unit(messages, bytes));

    /// <summary>Records messages that the protocol has taken or dropped, until <see cref="Flush"/>. Core thread only.
    /// </summary>
    /// <returns>True when so many are recorded that they are to be flushed.</returns>
    public bool OnSent(int messages, long bytes)
    {
        _sent += Unit(messages, bytes);
        return _sent >> MessageShift >= FlushMessages || (_sent & ByteMask) >= FlushBytes;
    }

    /// <summary>Subtracts the recorded messages. Core thread only.</summary>
    /// <returns>True when there were some, and half of both limits is free.</returns>
    public bool Flush()
    {
        if (_sent == 0) return false;
        long remaining = Interlocked.Add(ref _word, -_sent);
        _sent = 0;
        return IsHalf(remaining);
    }

    /// <summary>Ends the share of the node's total, even if a late call still counts a message. Core thread only.
    /// </summary>
    public void OnGone()
    {
        _isGone = true;
        Note();
    }

    /// <summary>Reports to the node's total. Core thread only.</summary>
    public void Note()
    {
        long unsent = Interlocked.Read(ref _word) - _sent;
        long cost = _isGone ? 0 : UnsentBudget.CostOf(unsent >> MessageShift, unsent & ByteMask);
        if (cost == _noted) return;
        budget.Change(cost - _noted);
        _noted = cost;
    }

    private readonly long ByteLimit => budget.IsCrowded ? Math.Min(_maxBytes, UnsentBudget.CrowdedLimit) : _maxBytes;

    private readonly bool IsBelowLimit(long unsent) =>
        unsent >> MessageShift < _maxMessages && (unsent & ByteMask) < ByteLimit;

    private readonly bool IsHalf(long unsent) =>
        unsent >> MessageShift <= _maxMessages / 2 && (unsent & ByteMask) <= ByteLimit / 2;

    private static long Unit(int messages, long bytes) => ((long)messages << MessageShift) + bytes;
}
