namespace QuickSilver.Transport;

/// <summary>
/// Where the core thread sleeps when no kernel object carries its completions: an event that other threads set only when the core has declared that
/// it waits. The same protocol as <c>WakeGate</c>, for completions rather than requests.
/// </summary>
internal sealed class SleepEvent
{
    private readonly ManualResetEventSlim _event = new(initialState: false, spinCount: 0);
    private int _isWaiting;

    /// <summary>Declares that the core is about to wait; it looks at its queues once more after this. Core thread only.</summary>
    public void Declare() => Interlocked.Exchange(ref _isWaiting, 1);

    /// <summary>Takes the declaration back.</summary>
    /// <returns>True, for the caller to return.</returns>
    public bool Cancel()
    {
        Volatile.Write(ref _isWaiting, 0);
        return true;
    }

    /// <summary>Waits, up to whole milliseconds rounded up. Core thread only.</summary>
    /// <returns>False when the time was up.</returns>
    public bool Wait(TimeSpan atMost)
    {
        double milliseconds = Math.Ceiling(atMost.TotalMilliseconds);
        bool wasSet = _event.Wait(atMost < TimeSpan.Zero ? Timeout.Infinite : (int)Math.Min(milliseconds, int.MaxValue));
        Volatile.Write(ref _isWaiting, 0);
        if (wasSet) _event.Reset();
        return wasSet;
    }

    /// <summary>Ends the wait if there is one. Any thread, after what is to be seen has been written.</summary>
    public void SetIfWaiting()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isWaiting) != 0) _event.Set();
    }

    /// <summary>Ends the present wait, or the next. Any thread.</summary>
    public void Set() => _event.Set();
}
