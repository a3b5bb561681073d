using System.Threading.Tasks.Sources;

namespace QuickSilver.Inboxes;

/// <summary>
/// The signal that the one reader of an inbox waits for. The reader declares its wait, checks the inbox again, then
/// awaits. The core publishes, fences, and reads the declaration. The core, the end of the handle, or the reader's
/// token removes the declaration; only the one that does completes the wait. Continuations run on the thread pool.
/// Allocates nothing.
/// </summary>
internal sealed class InboxSignal : IValueTaskSource
{
    private static readonly Action<object?, CancellationToken> Cancelled = static (state, cancellationToken) =>
        ((InboxSignal)state!).Cancel(cancellationToken);

    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _registration;
    private int _isWaiting;

    /// <summary>Whether the reader waits. Any thread.</summary>
    public bool IsWaiting => Volatile.Read(ref _isWaiting) != 0;

    /// <summary>Declares the wait. The reader's thread.</summary>
    public void Arm()
    {
        _source.Reset();
        Interlocked.Exchange(ref _isWaiting, 1);
    }

    /// <summary>Withdraws the declaration, because there are entries. The reader's thread.</summary>
    /// <returns>False if another thread was faster: the wait is over but must still be awaited.</returns>
    public bool TryDisarm() => Interlocked.Exchange(ref _isWaiting, 0) == 1;

    /// <summary>Waits. The reader's thread, once after <see cref="Arm"/>.</summary>
    public ValueTask WaitAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled) _registration = cancellationToken.UnsafeRegister(Cancelled, this);
        return new ValueTask(this, _source.Version);
    }

    /// <summary>Ends the wait if there is one. Any thread, after publishing and a full fence.</summary>
    public void SetIfWaiting()
    {
        if (Volatile.Read(ref _isWaiting) != 0 && TryDisarm()) _source.SetResult(true);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
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
