using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.Runtime;
using QuickSilver.WideArea.Groups;

namespace QuickSilver.WideArea.Ordering;

/// <summary>
/// A node in the ring of the order: joins the ordered group, runs the replica, and hands out what it delivers. Messages
/// of the ring are safe, so what one member has run, all that go on run as well. Its task runs on pool threads; members
/// may be called from any.
/// </summary>
/// <param name="node">The node.</param>
/// <param name="deliversSafe">True when messages are delivered once all sites have them.</param>
internal sealed class OrderMember(QuickSilverNode node, bool deliversSafe)
{
    /// <summary>Messages of a site that some other site may lack, before its members wait.</summary>
    public const ulong Window = 2048;

    private const int MostInboxMessages = 1 << 24;
    private const long MostInboxBytes = 256 << 20;
    private const long WindowBytes = 8 << 20;
    private const int MostOwn = 256;

    private static readonly HashSet<QuickSilverNode> Nodes = [];

    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _hasState = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private OrderReplica? _replica;
    private Group? _joined;
    private bool _hasWaiters;
    private int _own;

    /// <summary>Called for each entry that is delivered, in the order. On the reading task, under a lock.</summary>
    public Action<OrderReplica, OrderedEntry>? OnDelivered { get; set; }

    /// <summary>Called after events of the ring. On the reading task, under a lock.</summary>
    public Action<OrderReplica>? OnChanged { get; set; }

    /// <summary>Completes when the member has the state for the first time.</summary>
    public Task HasState => _hasState.Task;

    /// <summary>The handle on the group; null while it is not joined.</summary>
    public Group? Joined => Volatile.Read(ref _joined);

    /// <summary>Looks at the replica, which nobody changes meanwhile.</summary>
    public T Look<T>(Func<OrderReplica?, T> look)
    {
        lock (_lock) return look(_replica);
    }

    /// <summary>Stays in the ring until it is cancelled, or the handle ends.</summary>
    /// <exception cref="InvalidOperationException">The node is in the order already.</exception>
    public async Task StayAsync(CancellationToken cancellationToken)
    {
        lock (Nodes)
        {
            if (!Nodes.Add(node))
                throw new InvalidOperationException($"The node {node.Name} is in the order of all sites already.");
        }
        try
        {
            await StayInAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            lock (Nodes) Nodes.Remove(node);
        }
    }

    /// <summary>Sends a message to the order, once there is room.</summary>
    public async ValueTask SendAsync(string group, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        while (!TryTakeRoom(out Task changed, out string? site))
        {
            await changed.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!cancellationToken.IsCancellationRequested) continue;
            throw new OperationCanceledException(
                $"The send to '{group}' was cancelled. The order of all sites waits for site '{site}'.",
                cancellationToken);
        }
        Group joined = Joined ?? throw new ObjectDisposedException(nameof(SiteOrder));
        try
        {
            await joined.SendAsync(RingBody.Local(group, payload.Span).AsMemory(), cancellationToken)
                .ConfigureAwait(false);
        }
        catch
        {
            lock (_lock) _own = Math.Max(0, _own - 1);
            throw;
        }
    }

    private async Task StayInAsync(CancellationToken cancellationToken)
    {
        Group joined = await node.JoinAsync(
            RingBody.Group,
            new GroupOptions
            {
                Mode = new OrderedMode { Level = OrderedLevel.Safe },
                InboxMaxBytes = MostInboxBytes,
                InboxMaxMessages = MostInboxMessages,
                Overflow = OverflowPolicy.FailGroup,
                SelfDelivery = true,
            },
            cancellationToken).ConfigureAwait(false);
        lock (_lock) (_replica, _own) = (new OrderReplica(node.Id, Incarnations.Next, deliversSafe), 0);
        Volatile.Write(ref _joined, joined);
        try
        {
            await foreach (GroupEvent told in joined.ReadEventsAsync(cancellationToken).ConfigureAwait(false))
            {
                if (told is ViewChanged { After: var view })
                {
                    Take(new RingEvent([.. view.Members.Select(static member => member.Id)]));
                }
                else if (told is MessageReceived { Message: var message })
                {
                    Take(new RingEvent(
                        null, message.Sender, message.SenderName, message.Sequence, message.Payload));
                }
                while (TryTakeToSend(out byte[]? body))
                    await joined.SendAsync(body.AsMemory(), cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            Volatile.Write(ref _joined, null);
            Wake();
            await joined.DisposeAsync().ConfigureAwait(false);
        }
    }

    private bool TryTakeRoom(out Task changed, out string? site)
    {
        lock (_lock)
        {
            (changed, site) = (_changed.Task, null);
            if (Joined is null) return true;
            if (_replica?.Merge is { } merge)
            {
                OwnStream own = merge.Own;
                if (own.HasBegun && own.Unacknowledged < Window && own.Kept.Bytes < WindowBytes && _own < MostOwn)
                {
                    _own++;
                    return true;
                }
                site = SlowestOf(_replica, merge);
            }
            _hasWaiters = true;
            return false;
        }
    }

    private static string SlowestOf(OrderReplica replica, SiteMerge merge)
    {
        int slowest = merge.Own.HasBegun ? -1 : merge.WaitsFor();
        for (int site = 0; site < merge.Count && slowest < 0; site++)
        {
            bool isIn = site != merge.Site && merge.Agreement.View is { } view && view.Sites.Contains(site);
            if (isIn && merge.HadBy(site) <= merge.Own.Kept.Released) slowest = site;
        }
        return slowest < 0 ? replica.Names[merge.Site] : replica.Names[slowest];
    }

    private void Take(in RingEvent told)
    {
        lock (_lock)
        {
            OrderReplica replica = _replica!;
            replica.On(told);
            bool isOwn = told.Members is null && told.Sender == node.Id
                && RingBody.TryReadKind(told.Body.Span, out RingKind kind) && kind == RingKind.Local;
            if (isOwn && _own > 0) _own--;
            while (replica.Merge is { } merge && merge.TryTake(out OrderedEntry? entry))
                OnDelivered?.Invoke(replica, entry!);
            OnChanged?.Invoke(replica);
            if (replica.HasState) _hasState.TrySetResult();
        }
        Wake();
    }

    private bool TryTakeToSend([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out byte[]? body)
    {
        lock (_lock) return _replica!.ToSend.TryDequeue(out body);
    }

    private void Wake()
    {
        TaskCompletionSource? changed = null;
        lock (_lock)
        {
            if (!_hasWaiters) return;
            _hasWaiters = false;
            changed = _changed;
            _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
        changed.SetResult();
    }
}
