using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>One inline handler of a handle. The attaching thread enlists it, so that it receives every message
/// delivered after that call. The core thread removes it, so that no call follows a dispose that has
/// returned.</summary>
/// <param name="owner">The handle that the handler is attached to.</param>
/// <param name="handler">The application's handler of single messages; or null.</param>
/// <param name="batchHandler">The application's handler of batches; or null.</param>
internal sealed class InlineRegistration(GroupHandle owner, MessageHandler? handler, MessageBatchHandler? batchHandler)
    : IDisposable, IRequestTarget
{
    private int _isDisposed;
    private bool _isRemoved;

    /// <summary>The application's handler of single messages; null when it handles batches, or is removed.</summary>
    public MessageHandler? Handler { get; private set; } = handler;

    /// <summary>The application's handler of batches; null when it handles single messages, or is removed.</summary>
    public MessageBatchHandler? BatchHandler { get; private set; } = batchHandler;

    /// <summary>True while messages held for this handler have not been passed to it.</summary>
    public bool HasReservation { get; set; }

    /// <summary>True once removed: no further call begins. Any thread.</summary>
    public bool IsRemoved => Volatile.Read(ref _isRemoved);

    /// <summary>Removes the handler. From another thread, it blocks until the core has done so, which includes a call
    /// in progress. If the core takes no more requests, it blocks until the core thread ends.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        if (owner.Services.IsCoreThread)
        {
            Remove();
            return;
        }
        using var removed = new ManualResetEventSlim();
        if (owner.Services.Requests.Enqueue(this, removed))
        {
            removed.Wait();
            return;
        }
        SetRemoved();
        owner.Services.CoreEnd.Wait();
    }

    /// <summary>Removes the handler as <see cref="Dispose"/>, without blocking.</summary>
    public ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return default;
        if (owner.Services.IsCoreThread)
        {
            Remove();
            return default;
        }
        var removed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (owner.Services.Requests.Enqueue(this, removed)) return new ValueTask(removed.Task);
        SetRemoved();
        return new ValueTask(owner.Services.CoreEnd);
    }

    /// <summary>Prevents further calls. Any thread.</summary>
    public void SetRemoved() => Volatile.Write(ref _isRemoved, true);

    /// <summary>Prevents further calls and releases the application's delegate. Core thread only, and not during a call
    /// of another handler of the handle.</summary>
    public void LetGo()
    {
        SetRemoved();
        Handler = null;
        BatchHandler = null;
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        if (payload is ManualResetEventSlim removed)
        {
            Remove();
            removed.Set();
        }
        else if (payload is TaskCompletionSource completed)
        {
            Remove();
            completed.SetResult();
        }
        else
        {
            owner.AttachEnlisted();
        }
    }

    private void Remove()
    {
        LetGo();
        owner.Detach(this);
    }
}
