using QuickSilver.Bench.Roles;
using QuickSilver.Testing;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// A member of a chaos run: keeps a node in its groups whatever happens to it, and writes down what it saw. Beyond the
/// usual commands it knows "bounce" (leave all and join again), "restart" (a new node), "calm" (faults are over:
/// confirm to each group), "stop" (no more sending) and "end" (finish the log); the last three are answered when done.
/// </summary>
internal sealed class ChaosRole
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan JoinLimit = TimeSpan.FromSeconds(10);

    private readonly RoleChannel _channel;
    private readonly ChaosOrder _order;
    private readonly ChaosLog _log;
    private readonly IReadOnlyList<string> _names;
    private readonly Lock _lock = new();
    private readonly Dictionary<MemberId, ChaosLife> _lives = [];
    private QuickSilverNode? _node;
    private ChaosSession? _session;
    private int _sessions;
    private volatile bool _isStopped;

    private ChaosRole(RoleChannel channel)
    {
        _channel = channel;
        _order = channel.Order.Chaos!;
        _log = new ChaosLog(_order.LogFile);
        _names = [.. _order.Groups.Select(group => $"g{group}")];
    }

    /// <summary>Runs until the process ends.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        ParentDeath.EndWithParent();
        var role = new ChaosRole(channel);
        await await Task.WhenAny(role.StayAliveAsync(), role.ObeyAsync());
    }

    private async Task StayAliveAsync()
    {
        while (true)
        {
            QuickSilverNode node;
            try
            {
                node = await QuickSilverNode.StartAsync(Options());
            }
            catch (QuickSilverException refused)
            {
                _log.Write('N', $"no start: {refused.Code} {refused.Message}");
                await Task.Delay(Pause);
                continue;
            }
            node.Events += (_, happened) => OnEvent(happened);
            _node = node;
            await KeepInAsync(node);
            await node.DisposeAsync();
            foreach (ChaosLife life in LivesSoFar()) _log.Write('E', $"{life.Id} the node has ended");
        }
    }

    private async Task KeepInAsync(QuickSilverNode node)
    {
        while (!node.Completion.IsCompleted)
        {
            ChaosLife life = LifeOf(node.Id);
            IReadOnlyList<Group> groups;
            try
            {
                groups = await node.JoinManyAsync(_names);
            }
            catch (Exception refused) when (refused is QuickSilverException or ObjectDisposedException)
            {
                _log.Write('N', $"no join: {refused.Message}");
                await Task.Delay(Pause);
                continue;
            }
            // Evicted and back while it joined: the handles have ended, and whose they were is not known.
            if (node.Id != life.Id) continue;
            int number = ++_sessions;
            _log.Write('J', $"{number} {life.Id} {string.Join(',', _order.Groups)}");
            var session = new ChaosSession(number, life, groups, _order, _log);
            _session = session;
            _channel.TellDone("joined");
            if (_order.SendRate > 0)
            {
                await _channel.Go;
                if (!_isStopped) session.StartTraffic();
            }
            await session.Ended;
            await session.StopTrafficAsync();
        }
    }

    private async Task ObeyAsync()
    {
        await foreach (string command in _channel.Commands.ReadAllAsync())
        {
            switch (command)
            {
                case "bounce":
                    await BounceAsync();
                    continue;
                case "restart":
                    if (_node is { } node) await node.DisposeAsync();
                    continue;
                case "calm":
                    await InSessionAsync(
                        session => _order.SendRate > 0 ? session.ConfirmEachAsync() : Task.CompletedTask);
                    break;
                case "stop":
                    _isStopped = true;
                    if (_order.SendRate > 0) await InSessionAsync(FinishAsync);
                    break;
                case "end":
                    if (_node is { } last) _log.Write('N', $"{last.State} {last.GetStatistics()}");
                    _log.Flush();
                    break;
            }
            _channel.TellDone(command);
        }
    }

    private async Task BounceAsync()
    {
        if (_session is not { } session) return;
        await session.StopTrafficAsync();
        try
        {
            _log.Write('B', $"{_sessions}");
            await _node!.LeaveManyAsync(session.Groups);
        }
        catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
        {
            _log.Write('N', $"no leave: {ended.Message}");
        }
    }

    // A session may end under the work; then it is done again in the next one.
    private async Task InSessionAsync(Func<ChaosSession, Task> work)
    {
        while (true)
        {
            if (_session is { } session && !session.Ended.IsCompleted)
            {
                try
                {
                    await work(session);
                    return;
                }
                catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
                {
                    _log.Write('N', $"done again: {ended.Message}");
                }
            }
            await Task.Delay(Pause);
        }
    }

    private async Task FinishAsync(ChaosSession session)
    {
        await session.StopTrafficAsync();
        await _node!.FlushAsync();
        for (int index = 0; index < session.Groups.Count; index++)
            _log.Write('F', $"{session.Life.Id} {_order.Groups[index]} {session.Life.Sent[index]}");
    }

    private ChaosLife LifeOf(MemberId id)
    {
        lock (_lock)
        {
            if (_lives.TryGetValue(id, out ChaosLife? known)) return known;
            var life = new ChaosLife(
                new ChaosOrigin(_channel.Order.Number, _order.Process, _lives.Count + 1), id, _names.Count);
            _lives.Add(id, life);
            _log.Write('L', $"{life.Origin} {id}");
            // Nobody must hear of a life of which the log knows nothing.
            _log.Flush();
            return life;
        }
    }

    private List<ChaosLife> LivesSoFar()
    {
        lock (_lock) return [.. _lives.Values];
    }

    private void OnEvent(NodeEvent happened)
    {
        if (happened is not GroupEnded) _log.Write('N', happened.ToString());
        if (happened is not NodeRejoined back) return;
        _log.Write('E', $"{back.Before} evicted");
        LifeOf(back.After);
    }

    private QuickSilverOptions Options()
    {
        RoleOrder order = _channel.Order;
        var options = new QuickSilverOptions { ClusterName = order.Cluster, NodeName = order.Name };
        options.Membership.Port = order.MembershipPort;
        options.Membership.JoinTimeout = JoinLimit;
        options.Membership.FailureTimeout = _order.FailureTimeout > 0
            ? TimeSpan.FromSeconds(_order.FailureTimeout) : Timeout.InfiniteTimeSpan;
        if (_order.FailureTimeout > 0)
            options.Membership.HeartbeatInterval = TimeSpan.FromSeconds(Math.Min(1, _order.FailureTimeout / 4));
        options.Transport.Kind = order.Transport;
        options.Transport.PortRange = _order.PortRange;
        options.Security.UseRunKey(order.Key);
        if (order.Drop > 0)
            options.Faults = new FaultOptions { DropReceived = order.Drop, Seed = _order.Seed };
        return options;
    }
}
