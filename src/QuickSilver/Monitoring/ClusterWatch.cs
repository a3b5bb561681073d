namespace QuickSilver.Monitoring;

/// <summary>Puts snapshots of nodes together for a <see cref="ClusterMonitor"/>. Any thread.</summary>
internal sealed class ClusterWatch : IAsyncDisposable
{
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _next = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ClusterSnapshot _latest = new();

    /// <inheritdoc cref="ClusterMonitor.Latest"/>
    public ClusterSnapshot Latest => Volatile.Read(ref _latest);

    /// <inheritdoc cref="ClusterMonitor.Completion"/>
    public Task Completion => _end.Task;

    /// <summary>Waits for a snapshot other than the last; null when the monitor has been disposed of.</summary>
    public async Task<ClusterSnapshot?> NextAsync(ClusterSnapshot? last, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task next = Volatile.Read(ref _next).Task;
            ClusterSnapshot latest = Latest;
            if (_end.Task.IsCompleted) break;
            if (latest != last && latest.Nodes.Count > 0) return latest;
            await Task.WhenAny(next, _end.Task).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        await _end.Task.ConfigureAwait(false);
        return null;
    }

    /// <summary>Shows another snapshot to all readers.</summary>
    public void Show(ClusterSnapshot snapshot)
    {
        Volatile.Write(ref _latest, snapshot);
        var next = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Interlocked.Exchange(ref _next, next).TrySetResult();
    }

    /// <inheritdoc cref="ClusterMonitor.DisposeAsync"/>
    public ValueTask DisposeAsync()
    {
        _end.TrySetResult();
        return ValueTask.CompletedTask;
    }
}
