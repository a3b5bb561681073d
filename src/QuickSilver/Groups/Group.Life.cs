using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>Identity and end of a handle. A handle ends once: by a leave, a dispose, or a failure.</summary>
public sealed partial class Group : IAsyncDisposable
{
    private Task? _disposal;

    /// <summary>The node that joined the group.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>The name of the group.</summary>
    public string Name => Handle.Name;

    /// <summary>The newest installed view. It may be ahead of the messages that a reader has consumed.</summary>
    public GroupView View => Joined.View!;

    /// <summary>Completes after a leave or dispose. Faults with the reason if the handle ended by itself.</summary>
    public Task Completion => Handle.Completion;

    private NodeServices Services => Handle.Services;

    private bool HasBeenLeft => Handle.End is { Reason: null };

    private GroupCore Joined => Handle.Core ?? throw new InvalidOperationException("The group is not joined yet.");

    /// <summary>Waits until every live member holds all messages sent, then leaves the group. Readers end after the
    /// messages they already have.</summary>
    /// <param name="cancellationToken">Cancels the wait only: the group is left in any case.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="ObjectDisposedException">The group has already been left.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile. Whether other members
    /// hold the messages is unknown.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public async Task LeaveAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfEnded();
        try
        {
            LeaveOperation.Begin(Node.Core, [Handle]);
            await Completion.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            const string Consequence = "The group is left in the background";
            throw await CancelledAsync(nameof(LeaveAsync), Consequence, Joined, null, cancellationToken)
                .ConfigureAwait(false);
        }
    }

    /// <summary>Leaves the group as soon as every live member holds all messages sent, at the latest after
    /// <see cref="ShutdownOptions.DrainTimeout"/>. Drops unread messages, unless a reader is active. Never throws;
    /// repeated calls return the same result.</summary>
    public ValueTask DisposeAsync()
    {
        Task? disposal = Volatile.Read(ref _disposal);
        if (disposal is not null) return new ValueTask(disposal);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        disposal = Interlocked.CompareExchange(ref _disposal, done.Task, null);
        if (disposal is not null) return new ValueTask(disposal);
        _ = DisposeCoreAsync(done);
        return new ValueTask(done.Task);
    }

    /// <summary>Name of the group and of the node, for logs: "greetings at host-4242-1".</summary>
    public override string ToString() => $"{Name} at {Services.Name}";

    private void ThrowIfEnded()
    {
        if (Handle.HasEnded) throw Handle.EndException();
    }

    private async Task DisposeCoreAsync(TaskCompletionSource done)
    {
        try
        {
            TimeSpan drain = Services.Options.Shutdown.DrainTimeout;
            LeaveOperation leave = LeaveOperation.Begin(Node.Core, [Handle]);
            await leave.Task.WaitAsync(drain).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!leave.Task.IsCompleted)
            {
                // Reported now: a later dispose of the node finds the group gone and has nothing to wait for.
                if (!leave.IsFlushed && Handle.Core is { } core)
                {
                    string awaited = await Services.AskAsync(() => core.DescribeAwaited(null)).ConfigureAwait(false);
                    if (!leave.IsFlushed) Services.OnDrainTimedOut($"the group '{Name}' was disposed of", awaited);
                }
                leave.Hurry();
            }
            Handle.DiscardInbox();
        }
        finally
        {
            done.SetResult();
        }
    }
}
