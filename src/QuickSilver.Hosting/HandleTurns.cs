using System.Runtime.CompilerServices;

namespace QuickSilver.Hosting;

/// <summary>The handles that follow each other across evictions, from the first to the end for good. Any
/// thread.</summary>
internal sealed class HandleTurns<THandle>
    where THandle : class
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource<HandleTurn<THandle>> _first =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private HandleTurn<THandle>? _last;

    /// <summary>Why no handle follows; null if one may.</summary>
    public Exception? EndReason { get; private set; }

    /// <summary>The present turn, or the last; null before the first.</summary>
    public HandleTurn<THandle>? Last => Volatile.Read(ref _last);

    /// <summary>The first turn.</summary>
    public Task<HandleTurn<THandle>> First => _first.Task;

    /// <summary>Begins the next turn, or the first.</summary>
    /// <returns>False if no handle may follow.</returns>
    public bool TryPass(THandle handle, Task completion)
    {
        var turn = new HandleTurn<THandle>(handle, completion);
        lock (_lock)
        {
            if (EndReason is not null) return false;
            HandleTurn<THandle>? before = _last;
            Volatile.Write(ref _last, turn);
            if (before is null) _first.SetResult(turn);
            else before.Pass(turn);
            return true;
        }
    }

    /// <summary>Notes that no handle follows: calls get the reason. The first reason stays.</summary>
    /// <returns>False if there was one before.</returns>
    public bool End(Exception reason)
    {
        lock (_lock)
        {
            if (EndReason is not null) return false;
            EndReason = reason;
            _first.TrySetException(reason);
            _ = _first.Task.Exception;
            _last?.End(reason);
            return true;
        }
    }

    /// <summary>Waits for a turn whose handle is in use.</summary>
    public async ValueTask<HandleTurn<THandle>> GetAsync(CancellationToken cancellationToken)
    {
        HandleTurn<THandle> turn = Last ?? await First.WaitAsync(cancellationToken).ConfigureAwait(false);
        while (!turn.IsLive) turn = await turn.Next.WaitAsync(cancellationToken).ConfigureAwait(false);
        return turn;
    }

    /// <summary>Reads one handle after another.</summary>
    /// <param name="read">Reads a handle.</param>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    public async IAsyncEnumerable<TMessage> ReadAllAsync<TMessage>(
        Func<THandle, CancellationToken, IAsyncEnumerable<TMessage>> read,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        HandleTurn<THandle> turn = Last ?? await First.WaitAsync(cancellationToken).ConfigureAwait(false);
        while (true)
        {
            IAsyncEnumerator<TMessage> reader = read(turn.Handle, cancellationToken)
                .GetAsyncEnumerator(cancellationToken);
            await using (reader.ConfigureAwait(false))
            {
                while (await MovesAsync(reader, turn).ConfigureAwait(false)) yield return reader.Current;
            }
            if (turn.Completion.IsCompletedSuccessfully) yield break;
            turn = await turn.Next.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // False when the handle has ended by itself: its next turn, if there is one, goes on.
    private static async ValueTask<bool> MovesAsync<TMessage>(
        IAsyncEnumerator<TMessage> reader, HandleTurn<THandle> turn)
    {
        try
        {
            return await reader.MoveNextAsync().ConfigureAwait(false);
        }
        catch (QuickSilverException) when (turn.Completion.IsFaulted)
        {
            return false;
        }
    }
}
