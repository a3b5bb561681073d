using QuickSilver.Protocol.Sites;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Ordering;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea.Running;

/// <summary>
/// A gateway while it is the active one of its site: its links, what it sends to other sites and what it publishes of
/// theirs. The members of the groups (<see cref="GroupWorker"/>) outlive it. Any thread.
/// </summary>
internal sealed class GatewayLife
{
    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan TellTimeout = TimeSpan.FromSeconds(2);

    private readonly GatewaySocket _socket;
    private readonly GatewayStreams? _streams;
    private readonly GatewayLoop _loop;
    private readonly IReadOnlyList<GroupWorker> _workers;
    private readonly SpanningGroup[] _groups;
    private readonly SpanningGroup[] _carried;
    private readonly OrderGateway? _order;
    private readonly SpanningGroup? _ordered;
    private readonly ProgressTeller _teller;
    private readonly SiteTeller _asked;
    private readonly Func<CancellationToken, Task>[] _work;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _stopTelling = new();
    private Task[] _tasks = [];
    private Task _telling = Task.CompletedTask;

    /// <summary>Makes one that has not begun.</summary>
    /// <param name="parts">What outlives it.</param>
    /// <param name="number">Above that of any gateway that the site had before.</param>
    /// <param name="workers">Members of the groups.</param>
    /// <param name="published">Streams of other sites, with the last record whose messages the gateway before has
    /// published here.</param>
    public GatewayLife(
        GatewayParts parts, ulong number, IReadOnlyList<GroupWorker> workers,
        IReadOnlyDictionary<StreamId, ulong> published)
    {
        _socket = parts.Socket;
        _streams = parts.Streams;
        _workers = workers;
        _groups = [.. workers.Select(
            worker => new SpanningGroup(worker.Name, parts.Options.Standby, published)
            {
                Members = new GroupMembers(() => worker.Joined, parts.Presence, parts.Options.PruneAfter),
            })];
        _order = parts.Order;
        // Its stream is one of messages, and no worker has it.
        if (_order is not null) _ordered = new SpanningGroup(RingBody.Group, holdsBack: true, published);
        _carried = _ordered is null ? _groups : [.. _groups, _ordered];
        _teller = new ProgressTeller(parts.Presence);
        Watch = new GatewayWatch(parts.Plan, parts.Options.HoldTime, parts.Figures, parts.Log);
        var stream = new SpanningGroup(SiteTelling.GroupName, holdsBack: false, []) { BeginsAnew = true };
        var telling = new SiteTelling(parts.Node) { OnMessage = message => _asked!.OnMessage(message) };
        var rosters = new RosterExchange(
            stream, workers, _groups, () => _loop!.Reach, () => _loop!.Wake(), batch => _loop!.OnTaken(batch));
        SpanningGroup[] all = [.. _carried, stream];
        _loop = new GatewayLoop(
            parts.Plan, number, parts.Socket, parts.Streams?.Inbox, parts.Addresses, parts.Keys, all, Watch,
            gateway => new GroupTurns(parts.Plan, gateway, all, _teller, rosters, telling, parts.Log), parts.Figures,
            parts.Log);
        IncomingPublisher[] publishers = [.. workers.Zip(
            _groups, (worker, group) => new IncomingPublisher(group, worker, parts, _loop))];
        var pressure = new PressureTeller(telling, parts.Options, workers, parts.Log);
        var directory = new DirectoryTeller(
            parts.Plan, number, telling, _groups, rosters, () => _loop.Reach, () => Watch.Latest);
        _asked = new SiteTeller(parts.Presence, _groups, telling, pressure, rosters, directory, _loop.Wake);
        _work = [.. publishers.Select<IncomingPublisher, Func<CancellationToken, Task>>(
            static one => one.RunAsync), rosters.RunAsync, telling.RunAsync, _asked.RunAsync];
        if (_ordered is not null)
            _work = [.. _work, new OrderPublisher(_ordered, _order!.Member, batch => _loop.OnTaken(batch)).RunAsync];
    }

    /// <summary>What is told of it.</summary>
    public GatewayWatch Watch { get; }

    /// <summary>Completes when its thread has ended; faults when it failed.</summary>
    public Task Ended => _loop.Ended;

    /// <summary>Messages that came again, and were dropped.</summary>
    public long Copies => _carried.Sum(static group => group.Copies);

    /// <summary>Begins.</summary>
    /// <param name="isSuccessor">True when another gateway of the site was active before.</param>
    public void Start(bool isSuccessor)
    {
        _socket.SetLoop(_loop.Wake);
        _streams?.SetLoop(_loop.Wake);
        _loop.Start();
        for (int index = 0; index < _workers.Count; index++)
            _workers[index].Begin(_groups[index], _loop.Wake, _asked.LookSoon, isSuccessor);
        if (_ordered is not null) _order!.Begin(_ordered, _loop.Wake, () => Watch.Latest);
        _tasks = [.. _work.Select(work => Task.Run(() => work(_stop.Token), CancellationToken.None))];
        _telling = Task.Run(() => _teller.RunAsync(_stopTelling.Token), CancellationToken.None);
    }

    /// <summary>Takes nothing more of other sites, and waits until those that are reached hold what was sent, and know
    /// what is published here.</summary>
    /// <param name="limit">How long, at most.</param>
    public async Task DrainAsync(TimeSpan limit)
    {
        long until = Environment.TickCount64 + (long)limit.TotalMilliseconds;
        _loop.TakeNoMore();
        while (Environment.TickCount64 < until && !Ended.IsCompleted)
        {
            // The statistics are to be younger than what they are asked for.
            long looks = Watch.Looks;
            bool isEmpty = !_carried.Any(static group => !group.Waiting.IsEmpty || group.Unpublished > 0);
            while (Watch.Looks < looks + 2 && Environment.TickCount64 < until && !Ended.IsCompleted)
                await Task.Delay(LookPause).ConfigureAwait(false);
            if (isEmpty && !HoldsSomething()) return;
        }
    }

    /// <summary>Asks the thread to end, as a crash would.</summary>
    public void Kill() => _loop.RequestStop();

    /// <summary>Ends, once.</summary>
    /// <param name="tells">True when gateways that stand by are told the last of it.</param>
    public async Task EndAsync(bool tells)
    {
        foreach (GroupWorker worker in _workers) worker.End();
        _order?.End();
        await _stop.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_tasks).ConfigureAwait(false);
        _loop.RequestStop();
        await ((Task)_loop.Ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        foreach (SpanningGroup group in _carried) group.Room.Open();
        _socket.SetLoop(null);
        _streams?.SetLoop(null);
        _teller.Complete();
        if (tells) _stopTelling.CancelAfter(TellTimeout);
        else await _stopTelling.CancelAsync().ConfigureAwait(false);
        await _telling.ConfigureAwait(false);
    }

    private bool HoldsSomething()
    {
        SiteGatewayStatistics now = Watch.Latest;
        return now.Routes.Any(static route => route.Via is not null)
            && (now.RecordsKept > 0 || now.Links.Any(static link => link.Waiting + link.Open > 0));
    }
}
