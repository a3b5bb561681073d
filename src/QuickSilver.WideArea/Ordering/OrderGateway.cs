using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Ordering;

/// <summary>
/// The order at a gateway: a member of the ring that tells other sites, while its life is the active one, what the ring
/// has given to all. It decides nothing: any other gateway of the site would tell the same. Its tasks run on pool
/// threads.
/// </summary>
internal sealed class OrderGateway
{
    // How soon stamps, and what is had of others, are told after the last ones.
    private const int StampPause = 2;
    private const int NewsPause = 10;
    private const ulong MostAsked = 256;

    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan RejoinPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan QuietTime = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan WaitTime = TimeSpan.FromSeconds(2);
    private static readonly SenderText Nobody = new([], []);

    private readonly OrderMember _member;
    private readonly QuickSilverNode _node;
    private readonly GatewayPlan _plan;
    private readonly GatewayLog _log;
    private readonly string _site;
    private readonly CutPolicy _policy;
    private readonly OrderReach _reach;
    private readonly Lock _lock = new();
    private readonly SemaphoreSlim _due = new(0, 1);
    private readonly CancellationTokenSource _stop = new();
    private readonly Rejoining _rejoining = new(RejoinPause);
    private readonly HashSet<string> _reached = [];
    private SpanningGroup? _group;
    private Action? _wake;
    private Func<SiteGatewayStatistics>? _look;
    private SiteMerge? _merge;
    private OrderTeller? _teller;
    private Task[] _tasks = [];
    private long _stampAt;
    private long _quietSince;
    private ulong _released;
    private long _waitsSince;
    private int _waitsFor = -1;
    private OrderedEntry? _firstWaiting;
    private bool _hasToldWait;
    private int _asks;

    /// <summary>Makes one that has not begun.</summary>
    public OrderGateway(QuickSilverNode node, SiteGatewayOptions options, GatewayPlan plan, GatewayLog log)
    {
        _member = new OrderMember(node, deliversSafe: false) { OnChanged = OnChanged, OnDelivered = OnDelivered };
        (_node, _plan, _log, _site) = (node, plan, log, options.Site);
        _policy = (CutPolicy)options.CutPolicy;
        _reach = new OrderReach(plan, _policy, options.LeaveOutAfter);
    }

    /// <summary>The member of the ring.</summary>
    public OrderMember Member => _member;

    /// <summary>Completes when the ring was joined for the first time; faults when that failed.</summary>
    public Task FirstJoin => _rejoining.First;

    /// <summary>Joins the ring.</summary>
    public void Start() =>
        _tasks = [Task.Run(() => RunAsync(_stop.Token)), Task.Run(() => TellAsync(_stop.Token)),
            Task.Run(() => LookAsync(_stop.Token))];

    /// <summary>A life begins.</summary>
    /// <param name="group">The stream of the order, as it has it.</param>
    /// <param name="wake">Called when something waits for it.</param>
    /// <param name="look">The latest statistics of the life.</param>
    public void Begin(SpanningGroup group, Action wake, Func<SiteGatewayStatistics> look)
    {
        lock (_lock)
        {
            (_group, _wake, _look, _merge) = (group, wake, look, null);
            _reached.Clear();
            _reach.Begin();
        }
        _member.Look(replica => replica is null ? 0 : Pump(replica, isDue: true));
    }

    /// <summary>The life has ended.</summary>
    public void End()
    {
        lock (_lock) (_group, _wake, _look) = (null, null, null);
    }

    /// <summary>Leaves the ring.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_tasks).ConfigureAwait(false);
        _stop.Dispose();
    }

    private Task RunAsync(CancellationToken cancellationToken) =>
        _rejoining.RunAsync(
            StayAsync, refusal => _log.Post(logger => Log.Rejoining(logger, _site, RingBody.Group, refusal.Message)),
            onAgain: null, cancellationToken);

    private async Task StayAsync(CancellationToken cancellationToken)
    {
        _ = _member.HasState.ContinueWith(
            _ => _rejoining.OnJoined(), cancellationToken, TaskContinuationOptions.None, TaskScheduler.Default);
        await _member.StayAsync(cancellationToken).ConfigureAwait(false);
    }

    private void OnChanged(OrderReplica replica) => Pump(replica, isDue: false);

    private void OnDelivered(OrderReplica replica, OrderedEntry entry)
    {
        if (entry.Change is not { } change || Volatile.Read(ref _group) is null) return;
        SiteSet missing = replica.Merge!.Agreement.All.Except(change.Sites);
        string names = string.Join(", ", replica.Names.Where((_, index) => missing.Contains(index)));
        if (missing.IsEmpty) _log.Post(logger => Log.OrderHasAll(logger, _site));
        else _log.Post(logger => Log.OrderLeavesOut(logger, _site, names));
    }

    // Under the lock of the member, so that a stamp is behind the entries before it.
    private int Pump(OrderReplica replica, bool isDue)
    {
        lock (_lock)
        {
            if (_group is null || replica.Merge is not { } merge) return 0;
            if (_merge != merge) (_merge, _teller) = (merge, new OrderTeller(merge));
            int count = 0;
            for (; _teller!.TakeEntry() is { } entry; count++) Post(OrderRecord.Of(entry, isOwn: true), entry.Content);
            if (_teller.HasNews)
            {
                bool isUrgent = _teller.IsStampDue || _teller.IsStateDue;
                if (isDue || (isUrgent && Environment.TickCount64 - _stampAt >= StampPause))
                {
                    _stampAt = Environment.TickCount64;
                    if (_teller.TakeStamp() is { } stamp) Post(stamp, null);
                    if (_teller.IsStateDue) Post(_teller.TakeState(), null);
                    count++;
                }
                else if (_due.CurrentCount == 0)
                {
                    _due.Release();
                }
            }
            for (; _teller.TakeForward() is { } entry; count++)
                Post(OrderRecord.Of(entry, isOwn: false), entry.Content);
            if (count > 0) _wake!();
            return count;
        }
    }

    private void Post(OrderRecord record, OrderedContent? content)
    {
        SenderText sender = content is null ? Nobody : new SenderText(content.Sender, content.Name);
        var message = new OutgoingMessage(sender, content?.Sequence ?? 0, record.ToBytes(), _node.Id);
        _group!.Room.Take(message.Cost);
        _group.Waiting.Enqueue(message);
    }

    private async Task TellAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await _due.WaitAsync(cancellationToken).ConfigureAwait(false);
                bool isStamp;
                lock (_lock) isStamp = _teller is { IsStampDue: true } or { IsStateDue: true };
                await Task.Delay(isStamp ? StampPause : NewsPause, cancellationToken).ConfigureAwait(false);
                _member.Look(replica => replica is null ? 0 : Pump(replica, isDue: true));
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    private async Task LookAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await Task.Delay(LookPause, cancellationToken).ConfigureAwait(false);
                if (_member.Look(Look) is not { } body || _member.Joined is not { } joined) continue;
                try
                {
                    await joined.SendAsync(body.AsMemory(), cancellationToken).ConfigureAwait(false);
                }
                catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
                {
                    // It is asked for again.
                    continue;
                }
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    // Returns what is to be asked of the ring.
    private byte[]? Look(OrderReplica? replica)
    {
        if (replica is not { HasState: true }) return null;
        SiteGatewayStatistics? now;
        lock (_lock) now = _look?.Invoke();
        if (now is null) return null;
        if (replica.Merge is not { } merge)
        {
            return RingBody.Sites(
                _plan.Site, [.. Enumerable.Range(0, _plan.Map.Count).Select(_plan.Map.NameOf)], _policy);
        }
        if (RepeatsTo(merge, now))
        {
            lock (_lock) _teller?.Again();
            Pump(replica, isDue: true);
        }
        TellWaits(replica, merge);
        if (_reach.Look(now, merge.Agreement) is { } told) return told;
        lock (_lock)
        {
            if (_teller is null || !_teller.TryFindMissing(out int site, out ulong first, out ulong last)) return null;
            MemberId[] others = [.. replica.Others];
            if (others.Length == 0) return null;
            return RingBody.Request(
                others[_asks++ % others.Length], site, first, Math.Min(last, first + MostAsked - 1));
        }
    }

    // True when a site can be reached again, or nothing is under way and a site lacks something.
    private bool RepeatsTo(SiteMerge merge, SiteGatewayStatistics now)
    {
        bool isNew = false;
        foreach (SiteRoute route in now.Routes)
        {
            if (route.Via is null) _reached.Remove(route.Site);
            else isNew |= _reached.Add(route.Site);
        }
        long time = Environment.TickCount64;
        bool isQuiet;
        lock (_lock) isQuiet = _group is { Kept: 0 } group && group.Waiting.IsEmpty;
        bool lacks = merge.Own.Kept.Released < merge.Own.Numbered && merge.Own.Kept.Released == _released;
        _released = merge.Own.Kept.Released;
        if (!isQuiet || !lacks) _quietSince = time;
        if (isNew || time - _quietSince < QuietTime.TotalMilliseconds) return isNew;
        _quietSince = time;
        return true;
    }

    private void TellWaits(OrderReplica replica, SiteMerge merge)
    {
        int waits = merge.WaitsFor();
        long time = Environment.TickCount64;
        // While messages come some always wait: the order stands only while the same one does.
        bool goesOn = waits < 0 || !ReferenceEquals(merge.Waiting.First, _firstWaiting);
        if (goesOn || waits != _waitsFor)
        {
            if (_hasToldWait && goesOn) _log.Post(logger => Log.OrderGoesOn(logger, _site));
            if (goesOn) _hasToldWait = false;
            (_waitsFor, _firstWaiting, _waitsSince) = (waits, merge.Waiting.First, time);
        }
        if (waits < 0 || _hasToldWait || time - _waitsSince < WaitTime.TotalMilliseconds) return;
        _hasToldWait = true;
        string name = replica.Names[waits];
        int pending = merge.Waiting.Count;
        _log.Post(logger => Log.OrderWaits(logger, _site, name, pending));
    }
}
