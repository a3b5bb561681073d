using System.Diagnostics;

namespace QuickSilver.WideArea.Groups;

/// <summary>Bounds the bytes that wait between a reader and the loop. Any thread; one waiter at a time.</summary>
internal sealed class RoomGate(long limit)
{
    private readonly Lock _lock = new();
    private TaskCompletionSource? _waiter;
    private long _used;
    private bool _isOpen;

    /// <summary>Takes room; may go beyond the limit by one message.</summary>
    public void Take(long bytes)
    {
        lock (_lock) _used += bytes;
    }

    /// <summary>Gives room back.</summary>
    public void Return(long bytes)
    {
        TaskCompletionSource? waiter = null;
        lock (_lock)
        {
            _used -= bytes;
            Debug.Assert(_used >= 0, "what is given back was taken");
            if (_used <= limit / 2) (waiter, _waiter) = (_waiter, null);
        }
        waiter?.SetResult();
    }

    /// <summary>Nothing is taken out any more: nobody waits.</summary>
    public void Open()
    {
        TaskCompletionSource? waiter;
        lock (_lock)
        {
            _isOpen = true;
            (waiter, _waiter) = (_waiter, null);
        }
        waiter?.SetResult();
    }

    /// <summary>Completes when there is room.</summary>
    public Task WaitAsync()
    {
        lock (_lock)
        {
            if (_used < limit || _isOpen) return Task.CompletedTask;
            _waiter ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _waiter.Task;
        }
    }
}
