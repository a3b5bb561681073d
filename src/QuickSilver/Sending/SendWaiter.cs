using System.Threading.Tasks.Sources;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Sending;

/// <summary>
/// One call that waits at a <see cref="SendGate"/>: a pooled value task source that returns to its pool when its result
/// is fetched.
/// <para>
/// It completes on the thread pool, because completion may run the caller's synchronization context or scheduler. That
/// code then runs neither on the core thread nor under the gate's lock. The lock guards the links and
/// <see cref="IsQueued"/>. The code that removes the waiter from the list completes it, exactly once.
/// </para>
/// </summary>
internal sealed class SendWaiter(SendWaiterPool pool) : IValueTaskSource, IValueTaskSource<bool>, IThreadPoolWorkItem
{
    private static readonly Action<object?, CancellationToken> Cancelled =
        static (state, cancellationToken) => ((SendWaiter)state!).OnCancelled(cancellationToken);

    // Continuations run inline on the pool thread that completes the call.
    private ManualResetValueTaskSourceCore<bool> _source;
    private bool _result;
    private Exception? _reason;
    private CancellationTokenRegistration _registration;
    private SendGate? _gate;
    private CancellationToken _cancelled;
    private int _isCancelled;
    private object? _request;

    /// <summary>The waiting handle.</summary>
    public ISendOwner? Owner { get; private set; }

    /// <summary>True for a message, false for a call that only waits for room.</summary>
    public bool IsMessage { get; private set; }

    /// <summary>Length of the message.</summary>
    public int Bytes { get; private set; }

    /// <summary>When the core saw the wait first; null while it has not. Core thread only, under the gate's
    /// lock.</summary>
    public Instant? Seen { get; set; }

    /// <summary>True while the waiter is in the gate's list.</summary>
    public bool IsQueued { get; set; }

    /// <summary>The next waiter in the list.</summary>
    public SendWaiter? Next { get; set; }

    /// <summary>The previous waiter in the list.</summary>
    public SendWaiter? Previous { get; set; }

    /// <summary>The version of the value task.</summary>
    public short Version => _source.Version;

    /// <summary>Begins a use of this object.</summary>
    public void Begin(SendGate gate, ISendOwner owner, object? request, int bytes)
    {
        _gate = gate;
        _request = request;
        Owner = owner;
        IsMessage = request is not null;
        Bytes = bytes;
        Seen = null;
    }

    /// <summary>True when the call is of a handle, or sends to its group among several.</summary>
    public bool Concerns(ISendOwner owner) =>
        ReferenceEquals(Owner, owner) || Array.IndexOf(Owners, owner) >= 0;

    /// <summary>A handle of the call that has ended; null when none has.</summary>
    public ISendOwner? FindEnded() => Owner!.HasEnded ? Owner : Array.Find(Owners, static one => one.HasEnded);

    /// <summary>True when the messages of all groups of the call enter at a queue.</summary>
    public bool IsServedBy(ISendQueue queue)
    {
        if (!queue.Serves(Owner!.StagedGroup)) return false;
        foreach (ISendOwner owner in Owners)
        {
            if (!queue.Serves(owner.StagedGroup)) return false;
        }
        return true;
    }

    /// <summary>Takes the request out. The caller takes ownership.</summary>
    public object? TakeRequest()
    {
        object? request = _request;
        _request = null;
        return request;
    }

    /// <summary>Takes back a request that was taken out and not passed on.</summary>
    public void PutBack(object request) => _request = request;

    /// <summary>Ends a use in which the waiter never stood in line; the caller keeps the request.</summary>
    public void Recycle()
    {
        _request = null;
        _gate = null;
        Owner = null;
        pool.Return(this);
    }

    /// <summary>Notes that the waiter stands in the line of another gate, whose lock is held.</summary>
    public void MoveTo(SendGate gate)
    {
        _gate = gate;
        // A cancellation that found the waiter in no line comes again here: either it sees this gate, or this sees it.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isCancelled) != 0) gate.Cancel(this, _cancelled);
    }

    /// <summary>Starts to observe a token. On the calling thread, before it gets the task.</summary>
    public void WatchFor(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled) _registration = cancellationToken.UnsafeRegister(Cancelled, this);
    }

    // Of a message to several groups; none for one.
    private ISendOwner[] Owners => (_request as PooledPayload)?.Owners ?? [];

    private void OnCancelled(CancellationToken cancellationToken)
    {
        _cancelled = cancellationToken;
        Interlocked.Exchange(ref _isCancelled, 1);
        Volatile.Read(ref _gate)?.Cancel(this, cancellationToken);
    }

    /// <summary>Schedules the completion of the call.</summary>
    public void Succeed(bool result)
    {
        _result = result;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Schedules the completion of the call with an exception.</summary>
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

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token) => Finish(token);

    bool IValueTaskSource<bool>.GetResult(short token) => Finish(token);

    // Waits for a cancellation that is running on another thread, so that it cannot meet the next use of this object.
    // It holds the gate's lock only briefly.
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
                _cancelled = default;
                _isCancelled = 0;
                _gate = null;
                Owner = null;
                pool.Return(this);
            }
        }
    }
}
