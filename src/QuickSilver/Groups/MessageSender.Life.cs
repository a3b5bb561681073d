using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>Identity and end of a handle. A handle ends once: by a leave or a close, a dispose, or a failure.</summary>
public abstract partial class MessageSender : IAsyncDisposable
{
    private protected MessageSender(QuickSilverNode node, GroupHandle handle)
    {
        Node = node;
        Handle = handle;
        handle.Facade = this;
    }

    /// <summary>The implementation of this handle.</summary>
    internal GroupHandle Handle { get; }

    /// <summary>The node that sends.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>The name of the group.</summary>
    public string Name => Handle.Name;

    /// <summary>The newest installed view: the members of the group. It may be ahead of the messages that a reader has
    /// consumed. Number 0 with no members, if the group has never had any.</summary>
    public GroupView View => Joined.View!;

    /// <summary>Completes after a leave, close or dispose. Faults with the reason if the handle ended by
    /// itself.</summary>
    public Task Completion => Handle.Completion;

    private protected NodeServices Services => Handle.Services;

    private protected bool HasBeenLeft => Handle.End is { Reason: null };

    private protected GroupCore Joined =>
        Handle.Core ?? throw new InvalidOperationException("The group is not joined yet.");

    /// <summary>Leaves the group, or closes the publisher, as soon as every live member holds all messages sent, at the
    /// latest after <see cref="ShutdownOptions.DrainTimeout"/>, which the disposes of a node share. Drops unread
    /// messages, unless a reader is active. Never throws; repeated calls return the same result.</summary>
    public ValueTask DisposeAsync()
    {
        ref Task? known = ref Handle.Disposal;
        Task? disposal = Volatile.Read(ref known);
        if (disposal is not null) return new ValueTask(disposal);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        disposal = Interlocked.CompareExchange(ref known, done.Task, null);
        if (disposal is not null) return new ValueTask(disposal);
        _ = DisposeCoreAsync(done);
        return new ValueTask(done.Task);
    }

    /// <summary>Name of the group and of the node, for logs: "greetings at host-4242-1".</summary>
    public override string ToString() => $"{Name} at {Services.Name}";

    private protected void ThrowIfEnded()
    {
        if (Handle.HasEnded) throw Handle.EndException();
    }

    /// <summary>Ends the handle once every live member holds what it has sent.</summary>
    /// <param name="call">Name of the call, for the exception of a cancellation.</param>
    /// <param name="consequence">What happens after a cancellation.</param>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    private protected async Task EndAsync(string call, string consequence, CancellationToken cancellationToken)
    {
        ThrowIfEnded();
        try
        {
            LeaveOperation.Begin(Node.Core, [Handle]);
            await Completion.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw await CancelledAsync(call, consequence, Joined, null, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task DisposeCoreAsync(TaskCompletionSource done)
    {
        try
        {
            LeaveOperation leave = LeaveOperation.Begin(Node.Core, [Handle]);
            await Services.Drains.WaitAsync(leave.Task).ConfigureAwait(false);
            if (!leave.Task.IsCompleted)
            {
                // Reported now: a later dispose of the node finds the group gone and has nothing to wait for.
                if (!leave.IsFlushed && Handle.Core is { } core)
                {
                    string awaited = await Services.AskAsync(() => core.DescribeAwaited(null)).ConfigureAwait(false);
                    if (!leave.IsFlushed) Services.OnDrainTimedOut($"{Handle.What} was disposed of", awaited);
                }
                leave.Hurry();
            }
            Handle.Discard();
        }
        finally
        {
            done.SetResult();
        }
    }
}
