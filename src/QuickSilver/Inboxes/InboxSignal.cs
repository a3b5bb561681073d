using System.Threading.Tasks.Sources;

namespace QuickSilver.Inboxes;

/// <summary>
/// Where the one reader of an inbox waits. The reader declares that it waits, looks once more, then awaits; the core, after publishing, fences and
/// looks at the declaration. Whoever takes the declaration away completes the wait, once: the core, the end of the handle, or the reader's token.
/// Continuations run on the thread pool. Allocates nothing.
/// </summary>
internal sealed class InboxSignal : IValueTaskSource
{
    private static readonly Action<object?, CancellationToken> Cancelled = static (state, cancellationToken) => ((InboxSignal)state!).Cancel(cancellationToken);

    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _registration;
    private int _isWaiting;

    /// <summary>Declares the wait. The reader's thread.</summary>
    public void Arm()
    {
        _source.Reset();
        Interlocked.Exchange(ref _isWaiting, 1);
    }

    /// <summary>Takes the declaration back: there was something after all. The reader's thread.</summary>
    /// <returns>False when somebody was quicker: the wait has to be awaited, and is over.</returns>
    public bool TryDisarm() => Interlocked.Exchange(ref _isWaiting, 0) == 1;

    /// <summary>Waits. The reader's thread, once after <see cref="Arm"/>.</summary>
    public ValueTask WaitAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled) _registration = cancellationToken.UnsafeRegister(Cancelled, this);
        return new ValueTask(this, _source.Version);
    }

    /// <summary>Ends the wait if there is one. Any thread, after what is to be seen has been written and a full fence.</summary>
    public void SetIfWaiting()
    {
        if (Volatile.Read(ref _isWaiting) != 0 && TryDisarm()) _source.SetResult(true);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token)
    {
        _registration.Dispose();
        _registration = default;
        _source.GetResult(token);
    }

    private void Cancel(CancellationToken cancellationToken)
    {
        if (TryDisarm()) _source.SetException(new OperationCanceledException(cancellationToken));
    }
}
