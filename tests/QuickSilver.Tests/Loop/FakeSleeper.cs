using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Loop;

/// <summary>A completion queue without completions that counts how often it is woken and waited in.</summary>
internal sealed class FakeSleeper : IWaitableCompletionQueue
{
    private readonly SemaphoreSlim _wakes = new(0);
    private int _woken;

    public int Woken => Volatile.Read(ref _woken);

    /// <summary>Set each time somebody begins to wait.</summary>
    public SemaphoreSlim Waiting { get; } = new(0);

    public bool HasReady => false;

    public ulong BytesRead { get; set; }

    public int Take(List<Completion> batch, int room) => 0;

    public void Recycle(in Completion completion) => throw new InvalidOperationException();

    public bool Wait(TimeSpan atMost)
    {
        Waiting.Release();
        return _wakes.Wait(atMost);
    }

    public void Wake()
    {
        Interlocked.Increment(ref _woken);
        _wakes.Release();
    }
}
