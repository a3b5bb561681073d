namespace QuickSilver.Testing;

/// <summary>
/// A cluster of real nodes in the process of a test, over memory instead of sockets, which the test crashes, cuts and
/// heals. The code under test uses these nodes as it uses any other: <see cref="QuickSilverNode"/>, groups, handlers,
/// and hosted nodes by <see cref="Configure"/>. Clusters are independent of each other, so tests may run in parallel.
/// The membership is served by a node of the cluster's own, which no test ends. Any thread; names are those of nodes.
/// <para>
/// The protocol itself is tested in virtual time (<see cref="SimulatedCluster"/>). Here threads and time are real, so a
/// test waits for what is to happen and asserts no durations.
/// </para>
/// </summary>
/// <example>
/// <code>
/// await using TestCluster cluster = await TestCluster.StartAsync(["a", "b"]);
/// Group sender = await cluster["a"].JoinAsync("prices");
/// Group reader = await cluster["b"].JoinAsync("prices", new GroupOptions { OnMessage = handler.OnPrice });
/// await sender.SendAsync("42"u8.ToArray());
/// await cluster.WaitForProcessedAsync();
/// Assert.Equal(42, handler.Latest);
/// </code>
/// </example>
public sealed class TestCluster : IAsyncDisposable
{
    private const string Server = "test-membership";
    private const int Ports = 20_000;
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan DefaultLimit = TimeSpan.FromSeconds(30);
    private static int _clusters;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, NodeSwitch> _switches = [];
    private readonly HashSet<(string One, string Other)> _cuts = [];
    private readonly HashSet<string> _away = [];
    private readonly List<QuickSilverNode> _own = [];
    private readonly TestClock _clock = new();
    private readonly string _name = $"test-{Guid.NewGuid():N}";
    private readonly int _port = 1 + (Interlocked.Increment(ref _clusters) % Ports);
    private double _loss;
    private bool _isDisposed;

    private TestCluster()
    {
    }

    /// <summary>Share of received datagrams that every node drops, from 0 to below 1; the protocol repairs them. Holds
    /// for nodes that start later, too. Default: 0.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not in [0, 1).</exception>
    public double Loss
    {
        get => _loss;
        set
        {
            if (!(value is >= 0 and < 1)) throw new ArgumentOutOfRangeException(nameof(value), value, "not in [0, 1)");
            lock (_lock)
            {
                _loss = value;
                foreach (NodeSwitch one in _switches.Values) one.Loss = value;
            }
        }
    }

    /// <summary>The running node with a name.</summary>
    /// <exception cref="ArgumentException">No node of the cluster has the name, or it has not started.</exception>
    public QuickSilverNode this[string name] => Find(name).Node as QuickSilverNode
        ?? throw new ArgumentException($"The node '{name}' has not started.", nameof(name));

    /// <summary>Starts a cluster.</summary>
    /// <param name="names">Names of its first nodes; none: only the membership is there.</param>
    /// <param name="configure">Sets further options of each node.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>The cluster, with its nodes running. Dispose of it to end them.</returns>
    /// <exception cref="ArgumentException">A name is used twice, or an option is invalid.</exception>
    public static async Task<TestCluster> StartAsync(
        IEnumerable<string>? names = null,
        Action<QuickSilverOptions>? configure = null,
        CancellationToken cancellationToken = default)
    {
        var cluster = new TestCluster();
        try
        {
            await cluster.StartNodeAsync(Server, configure, cancellationToken).ConfigureAwait(false);
            foreach (string name in names ?? [])
                await cluster.StartNodeAsync(name, configure, cancellationToken).ConfigureAwait(false);
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Starts a node. A node that crashed or was disposed of may be started again under its name.</summary>
    /// <param name="name">Name of the node.</param>
    /// <param name="configure">Sets further options.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>The node. The cluster disposes of it, or the test does.</returns>
    /// <exception cref="ArgumentException">A running node has the name, or an option is invalid.</exception>
    /// <exception cref="ObjectDisposedException">The cluster has been disposed of.</exception>
    public async Task<QuickSilverNode> StartNodeAsync(
        string name, Action<QuickSilverOptions>? configure = null, CancellationToken cancellationToken = default)
    {
        var options = new QuickSilverOptions();
        configure?.Invoke(options);
        Configure(name, options);
        QuickSilverNode node = await QuickSilverNode.StartAsync(options, cancellationToken).ConfigureAwait(false);
        lock (_lock)
        {
            if (!_isDisposed)
            {
                _own.Add(node);
                return node;
            }
        }
        // Nobody would end it.
        await node.DisposeAsync().ConfigureAwait(false);
        throw Disposed();
    }

    /// <summary>Makes options those of a node of this cluster, for code that starts the node itself, such as a host:
    /// <c>services.AddQuickSilver(options => cluster.Configure("worker", options))</c>. The options serve one node at a
    /// time.</summary>
    /// <param name="name">Name of the node.</param>
    /// <param name="options">Changed: name, cluster, transport and membership.</param>
    /// <exception cref="ArgumentException">A running node has the name.</exception>
    /// <exception cref="ObjectDisposedException">The cluster has been disposed of.</exception>
    public void Configure(string name, QuickSilverOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(options);
        var given = new NodeSwitch(_clock) { Started = Apply };
        lock (_lock)
        {
            if (_isDisposed) throw Disposed();
            if (_switches.TryGetValue(name, out NodeSwitch? before)
                && before.Node is QuickSilverNode { Completion.IsCompleted: false })
            {
                throw new ArgumentException($"A running node has the name '{name}'.", nameof(name));
            }
            given.Loss = _loss;
            _switches[name] = given;
            _away.Remove(name);
            _cuts.RemoveWhere(cut => cut.One == name || cut.Other == name);
        }
        options.ClusterName = _name;
        options.NodeName = name;
        options.Transport.Kind = TransportKind.InMemory;
        options.Membership.Mode = MembershipMode.Loopback;
        options.Membership.Port = _port;
        options.Faults = new FaultOptions { Switch = given };
    }

    /// <summary>Ends a node as a crash of its process does: nothing more leaves it, it says goodbye to nobody, and what
    /// it has sent and not confirmed may be lost. Other nodes see it go when they have missed it for
    /// <see cref="MembershipOptions.FailureTimeout"/>. Calls under way on the node throw
    /// <see cref="QuickSilverException"/>.</summary>
    /// <param name="name">Name of the node.</param>
    /// <exception cref="ArgumentException">No node of the cluster has the name, or it has not started.</exception>
    public async Task CrashAsync(string name)
    {
        NodeSwitch given = Find(name);
        ISwitchedNode node = this[name];
        given.IsMute = true;
        given.IsAway = true;
        await node.CrashAsync().ConfigureAwait(false);
    }

    /// <summary>Cuts a node from all others and from the membership. When it has been away for
    /// <see cref="MembershipOptions.FailureTimeout"/>, it is evicted.</summary>
    /// <param name="name">Name of the node.</param>
    /// <exception cref="ArgumentException">No node of the cluster has the name.</exception>
    public Task CutAsync(string name)
    {
        Find(name).IsAway = true;
        lock (_lock) _away.Add(name);
        Apply();
        return TurnAsync();
    }

    /// <summary>Cuts two nodes from each other. Each still reaches all others and the membership. What one sends
    /// reaches the other by a node of the same groups that hears both. Where there is none, it waits for
    /// <see cref="HealAsync"/>; after two <see cref="MembershipOptions.FailureTimeout"/> one of the two is
    /// evicted.</summary>
    /// <param name="one">Name of one.</param>
    /// <param name="other">Name of the other.</param>
    /// <exception cref="ArgumentException">No node of the cluster has one of the names.</exception>
    public Task CutAsync(string one, string other)
    {
        Find(one);
        Find(other);
        lock (_lock) _cuts.Add((one, other));
        Apply();
        return TurnAsync();
    }

    /// <summary>Takes all cuts back. A node that was evicted meanwhile comes back by itself, unless its
    /// <see cref="MembershipOptions.Eviction"/> says otherwise.</summary>
    public Task HealAsync()
    {
        lock (_lock)
        {
            _cuts.Clear();
            foreach (string name in _away)
                if (_switches.TryGetValue(name, out NodeSwitch? given)) given.IsAway = false;
            _away.Clear();
        }
        Apply();
        return TurnAsync();
    }

    /// <summary>Lets the time of all nodes pass faster: several times as fast as real time, in small steps, so that
    /// nobody misses a heartbeat. Timers of the code under test are not the nodes': give it a TimeProvider of your
    /// own.</summary>
    /// <param name="time">How much.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="time"/> is negative.</exception>
    public async Task AdvanceAsync(TimeSpan time, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        for (TimeSpan left = time; left > TimeSpan.Zero; left -= Step)
        {
            _clock.Add(left < Step ? left : Step);
            await TurnAsync().ConfigureAwait(false);
            await Task.Delay(Pause, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Waits until everything that any node has sent is processed by every member: held by all live members, delivered,
    /// taken by its reader or handler, and the reader waits for more. What handlers send while they process is waited
    /// for, too. Readers are known to wait if they read a group in a loop (<c>ReadAllAsync</c> and its kin, handlers of
    /// a host). Of a reader that calls <c>ReadAsync</c>, or reads an <see cref="Inbox"/>, only this is known: it has
    /// taken its messages. A handle that nobody reads is never done: a node that only sends joins without
    /// <see cref="GroupOptions.SelfDelivery"/>.
    /// </summary>
    /// <param name="timeout">At most so long. Null: 30 s.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="TimeoutException">It took longer. The message says what is not processed, and
    /// where.</exception>
    public async Task WaitForProcessedAsync(
        TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        TimeSpan limit = timeout ?? DefaultLimit;
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        end.CancelAfter(limit);
        string what = "a node has sent what not every live member holds", seen = "";
        try
        {
            while (true)
            {
                (long before, _) = await LookAsync().ConfigureAwait(false);
                foreach (QuickSilverNode node in Running()) await FlushAsync(node, end.Token).ConfigureAwait(false);
                (long after, seen) = await LookAsync().ConfigureAwait(false);
                if (seen.Length == 0 && before == after) return;
                what = "messages are on their way";
                await Task.Delay(Pause, end.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException waiting) when (!cancellationToken.IsCancellationRequested)
        {
            // The time may end in a flush that waits for nothing: what was seen last says more.
            bool saysMore = waiting.Message.Contains("waited for", StringComparison.Ordinal);
            string awaited = seen.Length > 0 ? seen : saysMore ? waiting.Message : what;
            throw new TimeoutException($"Not everything was processed within {limit}: {awaited}.", waiting);
        }
    }

    /// <summary>Ends the nodes that the cluster started, those that it serves last. Never throws.</summary>
    public async ValueTask DisposeAsync()
    {
        await HealAsync().ConfigureAwait(false);
        QuickSilverNode[] own;
        lock (_lock)
        {
            _isDisposed = true;
            own = [.. _own];
        }
        await Task.WhenAll(own.Skip(1).Select(static node => node.DisposeAsync().AsTask())).ConfigureAwait(false);
        if (own.Length > 0) await own[0].DisposeAsync().ConfigureAwait(false);
    }

    private static ObjectDisposedException Disposed() =>
        new(nameof(TestCluster), "The cluster has been disposed of: start another.");

    private static async Task FlushAsync(QuickSilverNode node, CancellationToken cancellationToken)
    {
        try
        {
            await node.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception ended) when (ended is ObjectDisposedException or QuickSilverException)
        {
            // It has ended, or was evicted: it has sent all that it could.
        }
    }

    private async Task<(long Moved, string Busy)> LookAsync()
    {
        long moved = 0;
        var busy = new List<string>();
        foreach (QuickSilverNode node in Running())
        {
            NodeWork work = await ((ISwitchedNode)node).LookAsync().ConfigureAwait(false);
            moved += work.Moved;
            busy.AddRange(work.Busy.Select(group => $"the group '{group}' at the node '{node.Name}'"));
        }
        return (moved, busy.Count == 0 ? "" : $"messages wait, or are being handled, in {string.Join(", ", busy)}");
    }

    private async Task TurnAsync()
    {
        foreach (QuickSilverNode node in Running()) await ((ISwitchedNode)node).TurnAsync().ConfigureAwait(false);
    }

    private QuickSilverNode[] Running()
    {
        lock (_lock)
        {
            return [.. _switches.Values.Select(static given => given.Node).OfType<QuickSilverNode>()
                .Where(static node => !node.Completion.IsCompleted)];
        }
    }

    // A cut holds at both ends, whichever was named first, and for all addresses of a node.
    private void Apply()
    {
        lock (_lock)
        {
            foreach ((string name, NodeSwitch given) in _switches)
            {
                given.Unheard =
                [
                    .. _switches.Where(other => other.Key != name && IsCut(name, other.Key))
                        .SelectMany(static other => other.Value.Sources),
                ];
            }
        }
    }

    private bool IsCut(string one, string other) =>
        _away.Contains(one) || _away.Contains(other) || _cuts.Contains((one, other)) || _cuts.Contains((other, one));

    private NodeSwitch Find(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_lock)
        {
            return _switches.TryGetValue(name, out NodeSwitch? given)
                ? given
                : throw new ArgumentException($"No node of the cluster is called '{name}'.", nameof(name));
        }
    }
}
