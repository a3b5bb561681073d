using System.Threading.Tasks.Sources;

namespace QuickSilver.Sending;

/// <summary>
/// One call that waits at a <see cref="SendGate"/>: a value task's source that goes back to its pool when the result has been fetched. Continuations
/// run on the thread pool. Links and <see cref="IsQueued"/> belong to the gate's lock; whoever takes the waiter out of the list completes it, once.
/// </summary>
internal sealed class SendWaiter(SendWaiterPool home) : IValueTaskSource, IValueTaskSource<bool>
{
    private static readonly Action<object?, CancellationToken> Cancelled =
        static (state, ct) => ((SendWaiter)state!)._gate!.Cancel((SendWaiter)state, ct);

    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
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
    public void WatchFor(CancellationToken ct)
    {
        if (ct.CanBeCanceled) _registration = ct.UnsafeRegister(Cancelled, this);
    }

    /// <summary>Completes the call.</summary>
    public void Succeed(bool result) => _source.SetResult(result);

    /// <summary>Completes the call with an exception.</summary>
    public void Fail(Exception reason) => _source.SetException(reason);

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
