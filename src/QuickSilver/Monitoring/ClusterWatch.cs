using QuickSilver.Inboxes;
using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver.Monitoring;

/// <summary>The work of a <see cref="ClusterMonitor"/>: once a second it reads the snapshots of nodes that have
/// arrived, and puts one of the cluster together. It sleeps between: to wake for each snapshot costs more than to read
/// it. Any thread.</summary>
internal sealed class ClusterWatch : IAsyncDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly NodeCore _core;
    private readonly GroupHandle _handle;
    private readonly Action<ClusterWatch> _ended;
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _next = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ClusterSnapshot _latest;

    /// <summary>Makes one that has not begun.</summary>
    /// <param name="core">The node.</param>
    /// <param name="handle">A handle on the group of snapshots.</param>
    /// <param name="table">What is known of nodes.</param>
    /// <param name="ended">Called when it has ended.</param>
    public ClusterWatch(NodeCore core, GroupHandle handle, ClusterTable table, Action<ClusterWatch> ended)
    {
        _core = core;
        _handle = handle;
        Table = table;
        _ended = ended;
        _latest = table.Build(core.Services.Clock.Now);
    }

    /// <summary>What is known of nodes.</summary>
    public ClusterTable Table { get; }

    /// <inheritdoc cref="ClusterMonitor.Latest"/>
    public ClusterSnapshot Latest => Volatile.Read(ref _latest);

    /// <inheritdoc cref="ClusterMonitor.Completion"/>
    public Task Completion => _end.Task;

    /// <summary>Begins; call once.</summary>
    public void Start() => _ = Task.Run(RunAsync);

    /// <summary>Waits for a snapshot other than the last; null when the monitor has been disposed of.</summary>
    public async Task<ClusterSnapshot?> NextAsync(ClusterSnapshot? last, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Task next = Volatile.Read(ref _next).Task;
            ClusterSnapshot latest = Latest;
            if (_end.Task.IsCompleted) break;
            if (latest != last && latest.Nodes.Count > 0) return latest;
            await Task.WhenAny(next, _end.Task).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        await _end.Task.ConfigureAwait(false);
        return null;
    }

    /// <inheritdoc cref="ClusterMonitor.DisposeAsync"/>
    public async ValueTask DisposeAsync()
    {
        LeaveOperation.Begin(_core, [_handle]).Hurry();
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task RunAsync()
    {
        Exception? reason = null;
        try
        {
            await WatchAsync().ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            reason = fault;
        }
        _ended(this);
        if (reason is null)
        {
            _end.SetResult();
            return;
        }
        _end.SetException(reason);
        // Whether anybody waits for it or not.
        _ = _end.Task.Exception;
    }

    private async Task WatchAsync()
    {
        InboxReader inbox = _handle.OpenInbox().BeginRead();
        try
        {
            using var timer = new PeriodicTimer(Interval);
            while (true)
            {
                Task tick = timer.WaitForNextTickAsync().AsTask();
                if (await Task.WhenAny(tick, _handle.Completion).ConfigureAwait(false) != tick) break;
                Read(inbox);
                Show();
            }
        }
        finally
        {
            inbox.EndRead();
        }
        await _handle.Completion.ConfigureAwait(false);
    }

    private void Read(InboxReader inbox)
    {
        Instant now = _core.Services.Clock.Now;
        while (inbox.NextMessage(out InboxEntry entry) == ReadOutcome.Entry)
        {
            Table.Take(Member.Of(entry.Sender!), entry.Span, now);
            inbox.OnCopied(entry);
        }
    }

    private void Show()
    {
        Volatile.Write(ref _latest, Table.Build(_core.Services.Clock.Now));
        var next = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Interlocked.Exchange(ref _next, next).TrySetResult();
    }
}
