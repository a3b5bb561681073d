namespace QuickSilver.Hosting;

/// <summary>One of the handles that follow each other across evictions.</summary>
/// <param name="handle">The handle, or inbox.</param>
/// <param name="completion">Its end.</param>
internal sealed class HandleTurn<THandle>(THandle handle, Task completion)
    where THandle : class
{
    private readonly TaskCompletionSource<HandleTurn<THandle>> _next =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private HandleReading? _reading;

    /// <summary>The handle.</summary>
    public THandle Handle { get; } = handle;

    /// <summary>Completes when the handle has ended; faults if it has by itself.</summary>
    public Task Completion => completion;

    /// <summary>The turn after this one. Faults if there is none.</summary>
    public Task<HandleTurn<THandle>> Next => _next.Task;

    /// <summary>Whether the handle is in use.</summary>
    public bool IsLive => !completion.IsCompleted;

    /// <summary>Returns the reading of the handle for its handlers; the first call begins it. Any thread.</summary>
    /// <param name="read">Begins it.</param>
    /// <exception cref="ObjectDisposedException">The group was left before.</exception>
    public HandleReading Read(Func<THandle, HandleReading> read)
    {
        lock (_next) return _reading ??= read(Handle);
    }

    /// <summary>Begins the next turn.</summary>
    public void Pass(HandleTurn<THandle> next) => _next.SetResult(next);

    /// <summary>Notes that no turn follows.</summary>
    public void End(Exception reason)
    {
        _next.TrySetException(reason);
        _ = _next.Task.Exception;
    }
}
