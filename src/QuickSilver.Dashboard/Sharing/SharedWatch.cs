using Microsoft.Extensions.Logging;
using QuickSilver.Dashboard.Figures;
using QuickSilver.Dashboard.Sources;

namespace QuickSilver.Dashboard.Sharing;

/// <summary>
/// Watches the cluster while somebody looks, once for all. It begins with the first who enters, and ends some seconds
/// after the last has left. Any thread.
/// </summary>
/// <param name="source">The cluster.</param>
/// <param name="linger">How long it is watched after the last has left.</param>
/// <param name="log">Told when the cluster cannot be watched.</param>
/// <param name="stopping">Ends it.</param>
internal sealed class SharedWatch(
    IClusterSource source, TimeSpan linger, ILogger log, CancellationToken stopping)
{
    /// <summary>Least time between two frames: at most four a second.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();
    private TaskCompletionSource _changed = NewChange();
    private WatchState _state = new(0, null, null);
    private CancellationTokenSource? _watching;
    private Task _watch = Task.CompletedTask;
    private long _visits;
    private int _present;

    /// <summary>Whether the cluster is watched, for tests.</summary>
    public bool IsWatching
    {
        get
        {
            lock (_lock) return _watching is not null;
        }
    }

    /// <summary>Enters: the cluster is watched until <see cref="Leave"/>.</summary>
    public void Enter()
    {
        lock (_lock)
        {
            _present++;
            _visits++;
            if (_watching is not null || stopping.IsCancellationRequested) return;
            _watching = CancellationTokenSource.CreateLinkedTokenSource(stopping);
            // The watch before has its end first: there are never two.
            _watch = WatchAsync(_watch, _watching.Token);
        }
    }

    /// <summary>Leaves, after <see cref="Enter"/>.</summary>
    public void Leave()
    {
        long visit;
        lock (_lock)
        {
            if (--_present > 0) return;
            visit = _visits;
        }
        _ = EndLaterAsync(visit);
    }

    /// <summary>Waits for a state that the caller has not seen, and returns the newest one.</summary>
    /// <param name="seen">Number of the last state that it has seen; 0 at first.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<WatchState> NextAsync(long seen, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task changed;
            lock (_lock)
            {
                if (_state.Number > seen && _state is not { Frame: null, Trouble: null }) return _state;
                changed = _changed.Task;
            }
            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private static TaskCompletionSource NewChange() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task EndLaterAsync(long visit)
    {
        await Task.Delay(linger, stopping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        CancellationTokenSource? ended = null;
        lock (_lock)
        {
            // Others have come meanwhile.
            if (_present > 0 || _visits != visit) return;
            (ended, _watching) = (_watching, null);
        }
        if (ended is null) return;
        await ended.CancelAsync().ConfigureAwait(false);
        ended.Dispose();
    }

    private async Task WatchAsync(Task before, CancellationToken stop)
    {
        await before.ConfigureAwait(false);
        await Task.Yield();
        string? told = null;
        var maker = new FigureMaker();
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await foreach (ClusterSnapshot snapshot in source.ReadAllAsync(stop).ConfigureAwait(false))
                {
                    Publish(new Frame(maker.Make(snapshot)), null);
                    told = null;
                    await Task.Delay(Interval, stop).ConfigureAwait(false);
                }
                Publish(null, "The monitor of the cluster has ended. Trying again");
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                break;
            }
            catch (Exception failure)
            {
                Publish(null, failure.Message);
                if (told != failure.Message) Log.WatchFailed(log, failure.Message, failure);
                told = failure.Message;
            }
            await Task.Delay(Pause, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        // Who comes later must not see what was.
        Publish(null, null);
    }

    private void Publish(Frame? frame, string? trouble)
    {
        TaskCompletionSource changed;
        lock (_lock)
        {
            _state = new WatchState(_state.Number + 1, frame, trouble);
            (changed, _changed) = (_changed, NewChange());
        }
        changed.TrySetResult();
    }
}
