using QuickSilver.Inboxes;
using QuickSilver.Runtime;

namespace QuickSilver.Monitoring;

/// <summary>The work of a <see cref="ClusterMonitor"/>: reads the snapshots of nodes, and puts one of the cluster
/// together once a second. Any thread.</summary>
internal sealed class ClusterWatch : IAsyncDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly NodeCore _core;
    private readonly GroupHandle _handle;
    private readonly Action<ClusterWatch> _ended;
    private readonly CancellationTokenSource _stop = new();
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
        Task showing = ShowAsync();
        Exception? reason = null;
        try
        {
            await ReadAsync().ConfigureAwait(false);
            await _handle.Completion.ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            reason = fault;
        }
        await _stop.CancelAsync().ConfigureAwait(false);
        await showing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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

    private async Task ReadAsync()
    {
        InboxCore inbox = _handle.OpenInbox();
        IAsyncEnumerable<(Member Sender, byte[] Payload)> messages =
            InboxIteration.ReadAsync<InboxEntry, (Member, byte[])>(
                inbox.BeginRead, Take, events: false, CancellationToken.None);
        await foreach ((Member sender, byte[] payload) in messages.ConfigureAwait(false))
            Table.Take(sender, payload, _core.Services.Clock.Now);
    }

    private static bool Take(
        EntryReader<InboxEntry> reader, in InboxEntry entry, out (Member Sender, byte[] Payload) message)
    {
        message = (Member.Of(entry.Sender!), entry.ToOwned());
        reader.OnCopied(entry);
        return true;
    }

    private async Task ShowAsync()
    {
        using var timer = new PeriodicTimer(Interval);
        while (await timer.WaitForNextTickAsync(_stop.Token).ConfigureAwait(false))
        {
            Volatile.Write(ref _latest, Table.Build(_core.Services.Clock.Now));
            var next = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Interlocked.Exchange(ref _next, next).TrySetResult();
        }
    }
}
