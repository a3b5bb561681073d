using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>One inline handler of a handle. Attached and taken out on the core thread, so that a dispose that has returned is never
/// followed by a call.</summary>
/// <param name="owner">The handle.</param>
/// <param name="handler">The application's.</param>
internal sealed class InlineRegistration(Group owner, InlineHandler handler) : IDisposable, IRequestTarget
{
    private int _isDisposed;

    /// <summary>The application's handler.</summary>
    public InlineHandler Handler { get; } = handler;

    /// <summary>True once taken out. Core thread only.</summary>
    public bool IsRemoved { get; private set; }

    /// <summary>Takes the handler out; off the core thread it waits until the core has done so, and with it for a running call.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        if (owner.Services.IsCoreThread)
        {
            Remove();
            return;
        }
        using var removed = new ManualResetEventSlim();
        if (owner.Services.Requests.Enqueue(this, removed)) removed.Wait();
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        if (payload is ManualResetEventSlim removed)
        {
            Remove();
            removed.Set();
        }
        else if (!IsRemoved)
        {
            owner.Attach(this);
        }
    }

    private void Remove()
    {
        IsRemoved = true;
        owner.Detach(this);
    }
}
