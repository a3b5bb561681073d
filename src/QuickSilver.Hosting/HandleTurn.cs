namespace QuickSilver.Hosting;

/// <summary>One of the handles that a hosted group has in turn.</summary>
/// <param name="handle">The handle.</param>
internal sealed class HandleTurn(Group handle)
{
    private readonly TaskCompletionSource<HandleTurn> _next = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private HandleReading? _reading;

    /// <summary>The handle.</summary>
    public Group Handle { get; } = handle;

    /// <summary>The turn after this one. Faults if there is none.</summary>
    public Task<HandleTurn> Next => _next.Task;

    /// <summary>Whether the handle is in use.</summary>
    public bool IsLive => !Handle.Completion.IsCompleted;

    /// <summary>Returns the reading of the handle for its handlers; the first call begins it. Any thread.</summary>
    /// <param name="group">The group.</param>
    /// <param name="stop">Ends the reading.</param>
    /// <exception cref="ObjectDisposedException">The group was left before.</exception>
    public HandleReading Read(HostedGroup group, CancellationToken stop)
    {
        lock (_next) return _reading ??= group.Read(Handle, stop);
    }

    /// <summary>Begins the next turn.</summary>
    public HandleTurn Pass(Group handle)
    {
        var next = new HandleTurn(handle);
        _next.SetResult(next);
        return next;
    }

    /// <summary>Notes that no turn follows.</summary>
    public void End(Exception reason)
    {
        _next.TrySetException(reason);
        _ = _next.Task.Exception;
    }
}
