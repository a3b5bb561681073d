using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>One inline handler of a handle. Enlisted by the thread that attaches it, so that whatever is delivered after that call goes to it; taken
/// out on the core thread, so that a dispose that has returned is never followed by a call.</summary>
/// <param name="owner">The handle.</param>
/// <param name="handler">The application's, called for each message; or null.</param>
/// <param name="runHandler">The application's, called for each run; or null.</param>
internal sealed class InlineRegistration(GroupHandle owner, MessageHandler? handler, MessageBatchHandler? runHandler) : IDisposable, IRequestTarget
{
    private int _isDisposed;
    private bool _isRemoved;

    /// <summary>The application's handler for each message; null when it has one for runs, or is removed.</summary>
    public MessageHandler? Handler { get; private set; } = handler;

    /// <summary>The application's handler for runs; null when it has one for each message, or is removed.</summary>
    public MessageBatchHandler? RunHandler { get; private set; } = runHandler;

    /// <summary>True when what was held is this handler's, and has not been handed over.</summary>
    public bool HasReservation { get; set; }

    /// <summary>True once taken out: no call begins any more. Any thread.</summary>
    public bool IsRemoved => Volatile.Read(ref _isRemoved);

    /// <summary>Takes the handler out; off the core thread it waits until the core has done so, and with it for a running call. A core that takes no
    /// more requests is waited for to its end: until then the call may be running.</summary>
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
        owner.Services.WaitForCoreEnd();
    }

    /// <summary>No call begins any more. Any thread.</summary>
    public void SetRemoved() => Volatile.Write(ref _isRemoved, true);

    /// <summary>As <see cref="SetRemoved"/>, and lets the application's handler go. Core thread only, and in no call of the handle's handlers but
    /// this one's.</summary>
    public void LetGo()
    {
        SetRemoved();
        Handler = null;
        RunHandler = null;
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        if (payload is ManualResetEventSlim removed)
        {
            Remove();
            removed.Set();
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
