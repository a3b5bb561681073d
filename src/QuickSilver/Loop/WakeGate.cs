using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>
/// Wakes the core thread with the fewest system calls: only the first request after the core has declared its sleep
/// makes one (some 7 us). All others cost a fence and a read.
/// <para>
/// Why no request is missed: the core declares its sleep, fences, checks its queues once more, then waits. A producer
/// fills its slot, fences, then reads the declaration. The side whose fence comes second sees the write of the other.
/// </para>
/// </summary>
/// <param name="sleeper">The queue in which the core waits.</param>
internal sealed class WakeGate(IWaitableCompletionQueue sleeper)
{
    private int _isAsleep;
    private long _wakes;

    /// <summary>The number of times that this gate woke the core. Any thread.</summary>
    public long Wakes => Volatile.Read(ref _wakes);

    /// <summary>Wakes the core if it sleeps or is about to. Any thread, after it has written the data for the
    /// core.</summary>
    public void WakeIfAsleep()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isAsleep) == 0 || Interlocked.Exchange(ref _isAsleep, 0) == 0) return;
        Interlocked.Increment(ref _wakes);
        sleeper.Wake();
    }

    /// <summary>Declares that the core is about to wait; it must check its queues once more afterwards. Core thread
    /// only.</summary>
    public void DeclareAsleep() => Interlocked.Exchange(ref _isAsleep, 1);

    /// <summary>Declares that the core is awake. Core thread only.</summary>
    public void DeclareAwake() => Volatile.Write(ref _isAsleep, 0);
}
