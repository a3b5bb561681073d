namespace QuickSilver.Tests.Sending;

/// <summary>Remembers on what kind of thread it was called; runs what it is given on the pool.</summary>
internal sealed class RecordingContext : SynchronizationContext
{
    private readonly List<bool> _wasOnPool = [];

    /// <summary>For each call: whether the calling thread was one of the pool's.</summary>
    public IReadOnlyList<bool> WasOnPool
    {
        get
        {
            lock (_wasOnPool) return [.. _wasOnPool];
        }
    }

    /// <summary>Begins work that comes back to this context after each wait.</summary>
    public Task Run(Func<Task> work)
    {
        SynchronizationContext? before = Current;
        SetSynchronizationContext(this);
        try
        {
            return work();
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }

    /// <inheritdoc/>
    public override void Post(SendOrPostCallback callback, object? state)
    {
        lock (_wasOnPool) _wasOnPool.Add(Thread.CurrentThread.IsThreadPoolThread);
        base.Post(callback, state);
    }
}
