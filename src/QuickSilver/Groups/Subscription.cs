using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>An inline handler of a group (<see cref="Group.Subscribe(MessageHandler)"/>). It is called until it is
/// disposed of, in one of two ways, or its handle ends. After either way no call is under way or follows. Any thread;
/// repeated calls have no effect.</summary>
public sealed class Subscription : IDisposable, IAsyncDisposable
{
    private readonly InlineRegistration _registration;

    internal Subscription(InlineRegistration registration) => _registration = registration;

    /// <summary>Removes the handler. Blocks until the core thread has done so, which includes a call in progress; on
    /// the core thread itself it does not wait.</summary>
    public void Dispose() => _registration.Dispose();

    /// <summary>Removes the handler without blocking. The task completes when the core thread has done so, which
    /// includes a call in progress.</summary>
    public ValueTask DisposeAsync() => _registration.DisposeAsync();
}
