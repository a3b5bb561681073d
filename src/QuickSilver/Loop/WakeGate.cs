using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>
/// Decides who pays for waking the core thread: only the first request after the core has declared itself asleep makes the system call (some 7 us),
/// all others cost a fence and a read.
/// <para>
/// Why nothing is missed: the core declares sleep, fences, looks at its queues once more, then waits; a producer fills its slot, fences, then looks
/// at the declaration. Whichever fence comes second sees the other's write.
/// </para>
/// </summary>
/// <param name="sleeper">Where the core waits.</param>
internal sealed class WakeGate(IWaitableCompletionQueue sleeper)
{
    private int _isAsleep;
    private long _wakes;

    /// <summary>How many times the core was woken through this gate.</summary>
    public long Wakes => Volatile.Read(ref _wakes);

    /// <summary>Wakes the core if it sleeps or is about to. Any thread, after what is to be seen has been written.</summary>
    public void WakeIfAsleep()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isAsleep) == 0 || Interlocked.Exchange(ref _isAsleep, 0) == 0) return;
        Interlocked.Increment(ref _wakes);
        sleeper.Wake();
    }

    /// <summary>The core is about to wait: it must look at its queues once more after this call. Core thread only.</summary>
    public void DeclareAsleep() => Interlocked.Exchange(ref _isAsleep, 1);

    /// <summary>The core is up. Core thread only.</summary>
    public void DeclareAwake() => Volatile.Write(ref _isAsleep, 0);
}
