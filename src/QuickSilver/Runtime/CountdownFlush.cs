using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Runtime;

/// <summary>Completes when several groups are flushed. Core thread only, except <see cref="Task"/>.</summary>
internal sealed class CountdownFlush
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _remaining = 1;

    /// <summary>Completes when all groups are flushed. Any thread.</summary>
    public Task Task => _done.Task;

    /// <summary>When the core saw the wait first; null while it has not.</summary>
    public Instant? Seen { get; set; }

    /// <summary>Announces one more group; <see cref="Ask"/> must follow.</summary>
    public void Expect() => _remaining++;

    /// <summary>Flushes a group that <see cref="Expect"/> announced.</summary>
    public void Ask(LocalGroup group, Instant now) => group.Sender.Flush(OnFlushed, now);

    /// <summary>Ends the additions: the task can complete from now on.</summary>
    public void Seal(Instant now) => OnFlushed(now);

    /// <summary>Fails the task: the outcome of the flush stays unknown.</summary>
    public void Fail(Exception reason)
    {
        if (_done.TrySetException(reason)) _ = _done.Task.Exception;
    }

    private void OnFlushed(Instant now)
    {
        if (--_remaining == 0) _done.TrySetResult();
    }
}
