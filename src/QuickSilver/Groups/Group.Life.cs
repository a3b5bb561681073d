using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>What a handle is, and how it ends: left, disposed of, or ended by itself. The first end stays.</summary>
public sealed partial class Group : IAsyncDisposable
{
    private Task? _disposal;

    /// <summary>The node.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>The group's name.</summary>
    public string Name => Handle.Name;

    /// <summary>The newest installed view; may be ahead of what a reader has consumed.</summary>
    public GroupView View => Joined.View!;

    /// <summary>Ends with leave or dispose; faults with the reason when the handle ended by itself.</summary>
    public Task Completion => Handle.Completion;

    private NodeServices Services => Handle.Services;

    private bool HasBeenLeft => Handle.End is { Reason: null };

    private GroupCore Joined => Handle.Core ?? throw new InvalidOperationException("The group is not joined yet.");

    /// <summary>Waits until everything sent is held by every live member, leaves the group, and ends the readers after what they have.</summary>
    /// <param name="cancellationToken">Ends the waiting only: the group is left all the same. The exception names the members it waited for.</param>
    /// <exception cref="OperationCanceledException">The token; names whom what was sent waits for.</exception>
    /// <exception cref="ObjectDisposedException">The group has been left already.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile:
    /// whether others hold what was sent is not known.</exception>
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
            throw await CancelledAsync(nameof(LeaveAsync), "The group is left in the background", Joined, null, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Leaves the group after what was sent is held by every live member, or after <see cref="ShutdownOptions.DrainTimeout"/>. What nobody
    /// is reading is dropped. Never throws; again: nothing.</summary>
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

    /// <summary>"greetings at host-4242-1".</summary>
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
                // Told here, since the node that is disposed of next finds the group gone and nothing to wait for.
                if (!leave.IsFlushed && Handle.Core is { } core)
                {
                    string awaited = await Services.AskAsync(() => core.DescribeAwaited(null)).ConfigureAwait(false);
                    if (!leave.IsFlushed) Services.OnDrainTimedOut($"the group '{Name}' was disposed of", awaited);
                }
                leave.Hurry();
            }
            Handle.InboxCore.SetEnd(null);
            Handle.InboxCore.Discard();
        }
        finally
        {
            done.SetResult();
        }
    }
}
