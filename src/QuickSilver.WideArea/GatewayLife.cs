namespace QuickSilver.WideArea;

/// <summary>
/// A gateway while it is the active one of its site: its links, what it sends to other sites and what it publishes of
/// theirs. The members of the groups (<see cref="GroupWorker"/>) outlive it. Any thread.
/// </summary>
internal sealed class GatewayLife
{
    private readonly GatewaySocket _socket;
    private readonly GatewayLoop _loop;
    private readonly IReadOnlyList<GroupWorker> _workers;
    private readonly SpanningGroup[] _groups;
    private readonly Func<CancellationToken, Task>[] _work;
    private readonly CancellationTokenSource _stop = new();
    private Task[] _tasks = [];

    /// <summary>Makes one that has not begun.</summary>
    /// <param name="parts">What outlives it.</param>
    /// <param name="number">Above that of any gateway that the site had before.</param>
    /// <param name="workers">Members of the groups.</param>
    public GatewayLife(GatewayParts parts, ulong number, IReadOnlyList<GroupWorker> workers)
    {
        _socket = parts.Socket;
        _workers = workers;
        _groups = [.. workers.Select(static worker => new SpanningGroup(worker.Name))];
        Watch = new GatewayWatch(parts.Plan, parts.Options.HoldTime, parts.Figures, parts.Log);
        _loop = new GatewayLoop(
            parts.Plan, number, parts.Socket, parts.Addresses, parts.Keys, _groups, Watch, parts.Figures, parts.Log);
        IncomingPublisher[] publishers = [.. workers.Zip(
            _groups, (worker, group) => new IncomingPublisher(group, worker, parts, _loop))];
        var pressure = new PressureTeller(parts.Node, parts.Options, workers, parts.Log);
        _work = [.. publishers.Select<IncomingPublisher, Func<CancellationToken, Task>>(
            static one => one.RunAsync), pressure.RunAsync];
    }

    /// <summary>What is told of it.</summary>
    public GatewayWatch Watch { get; }

    /// <summary>Completes when its thread has ended; faults when it failed.</summary>
    public Task Ended => _loop.Ended;

    /// <summary>Begins.</summary>
    public void Start()
    {
        _socket.SetLoop(_loop.Wake);
        _loop.Start();
        for (int index = 0; index < _groups.Length; index++) _workers[index].Begin(_groups[index], _loop);
        _tasks = [.. _work.Select(work => Task.Run(() => work(_stop.Token), CancellationToken.None))];
    }

    /// <summary>True while other sites that are reached lack something.</summary>
    public bool HoldsSomething() => _groups.Any(static group => !group.Waiting.IsEmpty)
        || (Watch.Latest is { RecordsKept: > 0 } now && now.Routes.Any(static route => route.Via is not null));

    /// <summary>Asks the thread to end, as a crash would.</summary>
    public void Kill() => _loop.RequestStop();

    /// <summary>Ends, once.</summary>
    public async Task EndAsync()
    {
        foreach (GroupWorker worker in _workers) worker.End();
        await _stop.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_tasks).ConfigureAwait(false);
        _loop.RequestStop();
        await ((Task)_loop.Ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        foreach (SpanningGroup group in _groups) group.Room.Open();
        _socket.SetLoop(null);
    }
}
