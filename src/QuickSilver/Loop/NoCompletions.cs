using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Loop;

/// <summary>The completion queue, handler and roots of a loop without datagrams, which runs requests and alarms
/// only.</summary>
internal sealed class NoCompletions : IWaitableCompletionQueue, ICompletionHandler, IPullRoots
{
    private readonly SleepEvent _sleep = new();

    /// <inheritdoc/>
    public bool HasReady => false;

    /// <inheritdoc/>
    public ulong BytesRead => 0;

    /// <inheritdoc/>
    public bool HasWork => false;

    /// <inheritdoc/>
    public int Take(List<Completion> batch, int room) => 0;

    /// <inheritdoc/>
    public void Recycle(in Completion completion) =>
        throw new InvalidOperationException("there are no completions here");

    /// <inheritdoc/>
    public void Handle(ref Completion completion, Instant now) =>
        throw new InvalidOperationException("there are no completions here");

    /// <inheritdoc/>
    public int PullAll(Instant now) => 0;

    /// <inheritdoc/>
    public bool Wait(TimeSpan limit) => _sleep.Wait(limit);

    /// <inheritdoc/>
    public void Wake() => _sleep.Set();
}
