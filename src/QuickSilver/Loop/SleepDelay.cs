using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>
/// Whether a core thread that has nothing left to do looks again before it goes to sleep, and whether it gives its processor away once before.
/// <para>
/// A lone datagram, or an alarm, is handled and the thread sleeps: the wait is a look itself. While calls or a stream come in, more is likely to have
/// come during the turn, and whoever sends it would have to wake the thread: it looks once more.
/// </para>
/// <para>
/// Why give away: what a stream's receiver has just read was often sent by a thread that wants the same processor. Let it run, and there is more to
/// read when this thread goes on: the receiver need not be put to sleep and woken for each train, and no sender pays for waking it.
/// </para>
/// <para>
/// Awkward cases. A lone message, or a few: nothing follows, the thread sleeps at once; only what came in quantity since the last look delays it.
/// Applications that compute on every processor: who yields to them waits for a whole time slice of the scheduler's, some 3 ms, while a thread that
/// sleeps and is woken comes before them; a yield that took long is a sign of that, and none follows for a while.
/// </para>
/// Cost: half a microsecond and one more turn where nobody else wants the processor. Core thread only. Source: none; the papers' core thread had a
/// processor to itself (docs/decisions/0017).
/// </summary>
internal sealed class SleepDelay(IWaitableCompletionQueue completions, IClock clock)
{
    private const ulong ManyBytes = 16 << 10;

    private static readonly TimeSpan LongYield = TimeSpan.FromMilliseconds(1.5);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    private ulong _bytesSeen;
    private ulong _requestsSeen;
    private Instant _notBefore = Instant.Zero;

    /// <summary>True when a turn that did something should be followed by a look, though nothing is known to be left.</summary>
    /// <param name="requests">Requests run so far.</param>
    public bool LooksAgain(ulong requests)
    {
        bool hasRun = requests != _requestsSeen;
        _requestsSeen = requests;
        return hasRun || IsStream(completions.BytesRead);
    }

    /// <summary>Gives the processor away if that is likely to bring more to read.</summary>
    /// <param name="now">When the look ended that found nothing.</param>
    /// <returns>True when it was given away: look again before sleeping.</returns>
    public bool TryYield(Instant now)
    {
        ulong read = completions.BytesRead;
        bool isStream = IsStream(read);
        _bytesSeen = read;
        if (!isStream || now < _notBefore) return false;
        Thread.Yield();
        Instant end = clock.Now;
        if (end - now > LongYield) _notBefore = end + Pause;
        return true;
    }

    private bool IsStream(ulong read) => read - _bytesSeen >= ManyBytes;
}
