namespace QuickSilver.Transport;

/// <summary>
/// Puts a core thread to sleep whose completions come from no kernel object. Other threads set the event only when the
/// core has declared that it waits. The protocol is that of <c>WakeGate</c>, for completions instead of requests.
/// </summary>
internal sealed class SleepEvent
{
    private readonly ManualResetEventSlim _event = new(initialState: false, spinCount: 0);
    private int _isWaiting;

    /// <summary>Declares that the core is about to wait; it must check its queues once more afterwards. Core thread
    /// only.</summary>
    public void Declare() => Interlocked.Exchange(ref _isWaiting, 1);

    /// <summary>Withdraws the declaration. Core thread only.</summary>
    /// <returns>True, for the caller to return.</returns>
    public bool Cancel()
    {
        Volatile.Write(ref _isWaiting, 0);
        return true;
    }

    /// <summary>Blocks until the event is set or the time has passed, rounded up to whole milliseconds. Core thread
    /// only.</summary>
    /// <returns>False when the time has passed.</returns>
    public bool Wait(TimeSpan limit)
    {
        double milliseconds = Math.Ceiling(limit.TotalMilliseconds);
        bool wasSet = _event.Wait(limit < TimeSpan.Zero ? Timeout.Infinite : (int)Math.Min(milliseconds, int.MaxValue));
        Volatile.Write(ref _isWaiting, 0);
        if (wasSet) _event.Reset();
        return wasSet;
    }

    /// <summary>Ends the wait if there is one. Any thread, after it has written the data for the core.</summary>
    public void SetIfWaiting()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isWaiting) != 0) _event.Set();
    }

    /// <summary>Ends the present wait, or the next one. Any thread.</summary>
    public void Set() => _event.Set();
}
