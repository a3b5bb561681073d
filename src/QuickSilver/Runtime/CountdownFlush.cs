using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Runtime;

/// <summary>Waits until several groups are flushed. Core thread only, but for <see cref="Task"/>.</summary>
internal sealed class CountdownFlush
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left = 1;

    /// <summary>Ends when all are flushed.</summary>
    public Task Task => _done.Task;

    /// <summary>One more group will be asked.</summary>
    public void Expect() => _left++;

    /// <summary>Asks a group that was expected.</summary>
    public void Ask(LocalGroup group, Instant now) => group.Sender.Flush(OnFlushed, now);

    /// <summary>No more groups are added.</summary>
    public void Seal(Instant now) => OnFlushed(now);

    /// <summary>It will not be known.</summary>
    public void Fail(Exception reason)
    {
        if (_done.TrySetException(reason)) _ = _done.Task.Exception;
    }

    private void OnFlushed(Instant now)
    {
        if (--_left == 0) _done.TrySetResult();
    }
}
