using System.Threading.Tasks.Sources;

namespace QuickSilver.Sending;

/// <summary>
/// One call that waits at a <see cref="SendGate"/>: a value task's source that goes back to its pool when the result has been fetched. It is
/// completed on the thread pool, since that may call what the caller brought along, a synchronization context or a scheduler: whatever these do, or
/// throw, it is neither on the core thread nor under the gate's lock. Links and <see cref="IsQueued"/> belong to that lock; whoever takes the waiter
/// out of the list completes it, once.
/// </summary>
internal sealed class SendWaiter(SendWaiterPool home) : IValueTaskSource, IValueTaskSource<bool>, IThreadPoolWorkItem
{
    private static readonly Action<object?, CancellationToken> Cancelled =
        static (state, cancellationToken) => ((SendWaiter)state!)._gate!.Cancel((SendWaiter)state, cancellationToken);

    // Continuations run where it is completed, on the pool.
    private ManualResetValueTaskSourceCore<bool> _source;
    private bool _result;
    private Exception? _reason;
    private CancellationTokenRegistration _registration;
    private SendGate? _gate;
    private object? _request;

    /// <summary>The handle that waits.</summary>
    public ISendOwner? Owner { get; private set; }

    /// <summary>True for a message, false for a call that only asks when there is room.</summary>
    public bool IsMessage { get; private set; }

    /// <summary>Length of the message.</summary>
    public int Bytes { get; private set; }

    /// <summary>True while in the gate's list.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Who waits behind.</summary>
    public SendWaiter? Next { get; set; }

    /// <summary>Who waits in front.</summary>
    public SendWaiter? Previous { get; set; }

    /// <summary>The value task's token.</summary>
    public short Version => _source.Version;

    /// <summary>Begins a use.</summary>
    public void Begin(SendGate gate, ISendOwner owner, object? request, int bytes)
    {
        _gate = gate;
        _request = request;
        Owner = owner;
        IsMessage = request is not null;
        Bytes = bytes;
    }

    /// <summary>The request, which passes to the caller.</summary>
    public object? TakeRequest()
    {
        object? request = _request;
        _request = null;
        return request;
    }

    /// <summary>Follows a token from now on. By the thread that made the call, before it gets the task.</summary>
    public void WatchFor(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled) _registration = cancellationToken.UnsafeRegister(Cancelled, this);
    }

    /// <summary>Completes the call, soon.</summary>
    public void Succeed(bool result)
    {
        _result = result;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Completes the call with an exception, soon.</summary>
    public void Fail(Exception reason)
    {
        _reason = reason;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    // The waiter may serve another call before this returns.
    void IThreadPoolWorkItem.Execute()
    {
        Exception? reason = _reason;
        _reason = null;
        if (reason is null) _source.SetResult(_result);
        else _source.SetException(reason);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token) => Finish(token);

    bool IValueTaskSource<bool>.GetResult(short token) => Finish(token);

    // A cancellation that is running on another thread is waited for: it must not meet the next use of this object. It holds the gate's lock for
    // moments only.
    private bool Finish(short token)
    {
        bool isDone = _source.Version == token && _source.GetStatus(token) != ValueTaskSourceStatus.Pending;
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            if (isDone)
            {
                _registration.Dispose();
                _registration = default;
                _source.Reset();
                _gate = null;
                Owner = null;
                home.Return(this);
            }
        }
    }
}
