using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>
/// Decides whether an idle core thread checks its queues again before it sleeps, and whether it yields its processor
/// once before.
/// <para>
/// After a lone datagram or an alarm the thread sleeps: the wait itself is a check. While requests or a stream arrive,
/// more have probably arrived during the turn, and the next sender would have to wake the thread. It therefore checks
/// once more.
/// </para>
/// <para>
/// Why yield: the sender of a stream often needs the same processor as its receiver. If the sender runs, more is there
/// to read afterwards. The receiver then need not sleep and wake for each train, and no sender pays for waking it.
/// </para>
/// <para>
/// Awkward cases. After a few messages nothing follows, and the thread sleeps at once: only a large number of bytes
/// since the last check delays it. Applications may compute on every processor. A thread that yields to them waits for
/// a whole time slice, some 3 ms, while a woken thread takes precedence over them. A long yield is a sign of that, and
/// suspends yielding for a while.
/// </para>
/// Cost: half a microsecond and one more turn when no other thread wants the processor. Core thread only. Source: none;
/// the papers' core thread had a processor to itself (docs/decisions/0017).
/// </summary>
internal sealed class SleepDelay(IWaitableCompletionQueue completions, IClock clock)
{
    private const ulong ManyBytes = 16 << 10;

    private static readonly TimeSpan LongYield = TimeSpan.FromMilliseconds(1.5);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    private ulong _bytesSeen;
    private ulong _requestsSeen;
    private Instant _notBefore = Instant.Zero;

    /// <summary>True when another check should follow a busy turn, although no work is known to remain.</summary>
    /// <param name="requests">The number of requests run so far.</param>
    public bool ChecksAgain(ulong requests)
    {
        bool hasRun = requests != _requestsSeen;
        _requestsSeen = requests;
        return hasRun || IsStream(completions.BytesRead);
    }

    /// <summary>Yields the processor if more data is likely to arrive meanwhile.</summary>
    /// <param name="now">The end of the check that found nothing.</param>
    /// <returns>True when the thread yielded, and should check again before it sleeps.</returns>
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
