namespace QuickSilver.WideArea.Presence;

/// <summary>Keeps a gateway in a group of its cluster: it joins again after an eviction. A refusal before the first
/// join ends it, a later one does not. Its task runs on pool threads; members may be called from any.</summary>
/// <param name="pause">Between two joins.</param>
internal sealed class Rejoining(TimeSpan pause)
{
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when the group was joined for the first time; faults when that failed.</summary>
    public Task First => _first.Task;

    /// <summary>The group is joined.</summary>
    public void OnJoined() => _first.TrySetResult();

    /// <summary>Stays until it is cancelled or the node has ended.</summary>
    /// <param name="stay">Joins, calls <see cref="OnJoined"/>, and returns when the handle has ended.</param>
    /// <param name="onRefused">Told why a later join, or a stay, has failed.</param>
    /// <param name="onAgain">Called before each pause.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task RunAsync(
        Func<CancellationToken, Task> stay, Action<Exception>? onRefused, Action? onAgain,
        CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                await stay(cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                _first.TrySetCanceled(cancellationToken);
                return;
            }
            catch (ObjectDisposedException ended)
            {
                _first.TrySetException(ended);
                return;
            }
            catch (Exception refusal)
            {
                if (_first.TrySetException(refusal)) return;
                onRefused?.Invoke(refusal);
            }
            onAgain?.Invoke();
            await Task.Delay(pause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
