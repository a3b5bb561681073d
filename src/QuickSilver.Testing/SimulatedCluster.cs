using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Logs;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Probing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing;

/// <summary>
/// A whole cluster in one process and one thread: the protocol of every node and the membership server as they run for
/// real, over virtual time and a simulated network. The same options and the same calls give the same run, to the last
/// bit of <see cref="Trace"/>. The protocol's promises are checked all the while.
/// <para>
/// Not thread safe; different clusters share nothing and may run on different threads.
/// </para>
/// </summary>
/// <example>
/// <code>
/// var cluster = new SimulatedCluster(new SimulationOptions { Nodes = 3, Seed = 7 });
/// cluster.JoinAll("news");
/// cluster.Start(new SendPlan(0, "news", Count: 100, Interval: TimeSpan.FromMilliseconds(1)));
/// cluster.Settle(TimeSpan.FromSeconds(10));
/// cluster.Shutdown();
/// </code>
/// </example>
internal sealed class SimulatedCluster
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan JoinLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan ShutdownLimit = TimeSpan.FromSeconds(10);

    private readonly RunContext _run;
    private readonly EventQueue _events;
    private readonly ClusterChecks _checks;
    private readonly TrafficChecks _traffic;
    private readonly SimulatedNetwork _network;
    private readonly SimulatedMembership? _membership;
    private readonly IMembershipDoor _door;
    private readonly List<SimulatedNode> _nodes = [];
    private readonly List<SimulatedNode> _current = [];
    private readonly HashSet<int> _destroyed = [];
    private readonly Dictionary<int, int> _installed = [];
    private readonly AnnouncedRemovals _removals;
    private readonly SendPlans _plans;
    private bool _isEnding;

    /// <summary>Makes the cluster and starts its nodes; nothing happens before it runs.</summary>
    public SimulatedCluster(SimulationOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Nodes, 1);
        _run = new RunContext(options);
        _events = new EventQueue(_run.Clock, _run.Random, options.SpinLimit);
        _checks = new ClusterChecks(_run, node => _nodes[node].IsMember, node => _nodes[node]);
        _traffic = new TrafficChecks(
            _run, _checks, _nodes, IsConcerned, new CopyChecks(_run, _nodes, () => _network!.Conditions.Any));
        _network = new SimulatedNetwork(options.Network, options.Nodes, _events, _run.Random, _traffic);
        if (options.Election is { } election)
            _door = Election = election.Founders > 0
                ? new SimulatedPeers(election, _events, _run, MakeServer)
                : new SimulatedElection(election, _events, _run, MakeServer);
        else
            _door = _membership = MakeServer(0, new OffsetClock(_run.Clock, TimeSpan.FromSeconds(1)), null);
        _removals = new AnnouncedRemovals(_run, _checks, _nodes, IsConcerned);
        _plans = new SendPlans(_run, _events, machine => _current[machine]);
        for (int machine = 0; machine < options.Nodes; machine++) _current.Add(AddNode(machine));
        foreach (int machine in options.Absent) _nodes[machine].NeverStart();
        foreach (SimulatedNode node in _nodes) node.Connect();
    }

    /// <summary>What the cluster was made with.</summary>
    public SimulationOptions Options => _run.Options;

    /// <summary>The nodes, ended ones included: first that of each machine, then those that came back, in that
    /// order.</summary>
    public IReadOnlyList<SimulatedNode> Nodes => _nodes;

    /// <summary>Called when a node has been started on a machine whose node had ended: to let it join what it belongs
    /// to.</summary>
    public Action<SimulatedNode>? Revived { get; set; }

    /// <summary>Virtual time since the start.</summary>
    public TimeSpan Elapsed => _run.Now - Instant.Zero;

    /// <summary>The hash over everything observable so far.</summary>
    public TraceHash Trace => _run.Trace;

    /// <summary>What became of datagrams.</summary>
    public NetworkCounters NetworkCounters => _network.Counters;

    /// <summary>Datagrams handed to the network, by any node.</summary>
    public ulong DatagramsSent => _traffic.Sent;

    /// <summary>Datagrams handed to the network by nodes that must still keep their promises.</summary>
    internal ulong DatagramsOfConcern => _traffic.SentOfConcern;

    /// <summary>Events that have happened.</summary>
    public ulong EventsExecuted => _events.Executed;

    /// <summary>Messages delivered, by any node.</summary>
    public ulong MessagesDelivered => _checks.Deliveries.Delivered;

    /// <summary>First transmissions of messages: for each message, one for each region view it went to.</summary>
    public ulong MessageTransmissions => _checks.Stability.Transmissions;

    /// <summary>How often the run has reached each mark so far; those it has not reached may be missing.</summary>
    internal Dictionary<string, ulong> Marks
    {
        get
        {
            var marks = new Dictionary<string, ulong>(_run.Marks);
            foreach (SimulatedNode node in _nodes) CounterMarks.AddTo(marks, node.Stack.Rooms);
            return marks;
        }
    }

    /// <summary>Sees all traffic, and may add to it; null: nobody does.</summary>
    internal ITrafficTap? Tap
    {
        get => _run.Tap;
        set => _run.Tap = _network.Tap = value;
    }

    /// <summary>What the applications saw; empty unless <see cref="SimulationOptions.KeepsLog"/>.</summary>
    internal IReadOnlyList<string> LogLines => _run.Log?.Lines ?? [];

    internal NetworkConditions Conditions => _network.Conditions;

    internal SimulationRandom Random => _run.Random;

    internal Instant Now => _run.Now;

    internal ClusterChecks Checks => _checks;

    /// <summary>The last node of a machine, ended or not.</summary>
    /// <param name="machine">Index of the machine.</param>
    public SimulatedNode On(int machine) => _current[machine];

    /// <summary>Starts a new node on a machine whose node has ended.</summary>
    /// <param name="machine">Index of the machine.</param>
    /// <returns>Null when the machine's node lives, the machine is not there, or
    /// <see cref="SimulationOptions.Restarts"/> are used up.</returns>
    public SimulatedNode? Revive(int machine)
    {
        if (_current[machine].IsAlive || _nodes.Count >= Options.Lives || Options.Absent.Contains(machine)
            || _destroyed.Contains(machine))
        {
            return null;
        }
        SimulatedNode node = AddNode(machine);
        _current[machine] = node;
        node.Connect();
        Revived?.Invoke(node);
        return node;
    }

    /// <summary>From now on nodes that start on a machine are of another build.</summary>
    internal void Install(int machine, int newest) => _installed[machine] = newest;

    internal void Destroy(int machine)
    {
        _destroyed.Add(machine);
        _current[machine].Crash();
    }

    /// <summary>What the membership has cost.</summary>
    internal MembershipLoad MembershipLoad => _membership?.Load ?? new MembershipLoad(0, default, default, 0);

    /// <summary>Elects the host that serves; null: there is one host.</summary>
    internal ISimulatedHosts? Election { get; }

    internal void ReplaceServer() => _membership?.Replace();

    internal void StopServer() => _membership?.Die();

    internal void StartServer() => _membership?.Return();

    internal void FreezeServer(TimeSpan time, TimeSpan readLag) => _membership?.Freeze(_run.Now + time, readLag);

    internal void AccuseAll(int machine, bool begins)
    {
        foreach (SimulatedMembership server in Servers) server.AccuseAll(machine, begins);
    }

    /// <summary>The operator says that the member on a machine is gone for good.</summary>
    internal void ForgetMember(int machine)
    {
        foreach (SimulatedMembership server in Servers) server.Forget(SimulatedNode.NameOf(machine));
    }

    internal void StallMembership(int machine, TimeSpan time)
    {
        foreach (SimulatedMembership server in Servers) server.Stall(machine, _run.Now + time);
    }

    internal void BreakMembership(int machine, bool begins)
    {
        foreach (SimulatedMembership server in Servers) server.Block(machine, begins);
        if (begins) _current[machine].BreakMembership();
    }

    /// <summary>Lets virtual time pass.</summary>
    /// <exception cref="InvariantViolationException">A promise was broken.</exception>
    public void RunFor(TimeSpan time)
    {
        Instant until = _run.Now + time;
        while (_events.RunNext(until)) { }
        _run.Clock.MoveTo(until);
    }

    /// <summary>Lets so many events happen, however long that takes: every instant at which a run can be interfered
    /// with is one of these.</summary>
    internal void RunEvents(ulong count)
    {
        for (ulong last = _events.Executed + count; _events.Executed < last && _events.RunNext(Instant.Never);) { }
    }

    /// <summary>Lets virtual time pass until something is true, looking every few milliseconds.</summary>
    /// <param name="condition">What to wait for.</param>
    /// <param name="limit">How long at most.</param>
    /// <returns>False when the time ran out.</returns>
    /// <exception cref="InvariantViolationException">A promise was broken.</exception>
    public bool RunUntil(Func<bool> condition, TimeSpan limit)
    {
        Instant until = _run.Now + limit;
        while (!condition())
        {
            if (_run.Now >= until) return false;
            RunFor(until - _run.Now < Look ? until - _run.Now : Look);
            _removals.RestoreForgotten();
        }
        return true;
    }

    /// <summary>Lets every living node join groups, and runs until all joins have returned.</summary>
    /// <exception cref="InvariantViolationException">A promise was broken, or a join did not return in 30 virtual
    /// seconds.</exception>
    public void JoinAll(params string[] groups) =>
        Await([.. _nodes.Where(node => node.IsAlive).Select(node => node.Join(groups))]);

    /// <summary>Runs until joins have returned.</summary>
    /// <exception cref="InvariantViolationException">A promise was broken, a join failed, or one did not return in 30
    /// virtual seconds.</exception>
    public void Await(params SimulatedJoin[] joins)
    {
        bool IsOver(SimulatedJoin join) => join.IsCompleted || join.Failure is not null || !join.Node.IsAlive;
        bool returned = RunUntil(() => Array.TrueForAll(joins, IsOver), JoinLimit);
        int failed = joins.Count(join => join.Failure is not null);
        if (!returned || failed > 0)
        {
            throw _run.Violation(
                "D9", $"of {joins.Length} joins {failed} failed and {joins.Count(join => join.IsCompleted)} returned");
        }
    }

    /// <summary>Begins a stretch of sending.</summary>
    public void Start(SendPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        _plans.Start(plan);
    }

    /// <summary>Lets a fault happen at its time.</summary>
    public void Inject(Fault fault)
    {
        ArgumentNullException.ThrowIfNull(fault);
        _checks.Removals.Learn(fault);
        _checks.Rates.Learn(fault);
        _run.HasFaults = true;
        Instant begin = Instant.Zero + fault.At;
        _events.Schedule(begin, new FaultExecution(this), fault, value: 1);
        // One that lasts for no time ends as it begins: of two events at one instant either could be the first.
        if (fault.Duration > TimeSpan.Zero)
            _events.Schedule(begin + fault.Duration, new FaultExecution(this), fault, value: 0);
    }

    /// <summary>Does something in the middle of the run.</summary>
    /// <param name="delay">When, counted from now.</param>
    /// <param name="action">What; it must not run the cluster.</param>
    public void After(TimeSpan delay, Action action) => _events.Schedule(_run.Now + delay, new ActionExecution(action));

    /// <summary>True when all sending is done, every promise about it kept, and what removed senders left is
    /// settled.</summary>
    public bool IsSettled => _plans.UnderWay == 0 && FindMissing() is null;

    /// <summary>Which nodes must still keep their promises, of those that live; null: all members.</summary>
    internal Func<SimulatedNode, bool>? Concerns { get; set; }

    /// <summary>True for a living member that must still keep its promises.</summary>
    internal bool IsConcerned(SimulatedNode node) => node.IsMember && (Concerns is null || Concerns(node));

    /// <summary>The first promise about messages that is not kept yet; null when there is none.</summary>
    internal (string Invariant, string Missing)? FindMissing() =>
        LivenessChecks.FindMissing(_nodes, _checks, IsConcerned)
            ?? PrefixChecks.FindOpen(_nodes, _checks, IsConcerned)
            ?? LongMessageChecks.FindOpen(_nodes, IsConcerned);

    /// <summary>Runs until <see cref="IsSettled"/>: everything sent has been delivered wherever it must be, and is
    /// known stable at its sender.</summary>
    /// <param name="limit">The time this may take.</param>
    /// <exception cref="InvariantViolationException">A promise was broken; D7 or D8 when the time ran out.</exception>
    public void Settle(TimeSpan limit)
    {
        if (RunUntil(() => IsSettled, limit)) return;
        (string invariant, string missing) = FindMissing() ?? ("D7", "sending has not ended");
        throw _run.Violation(invariant, $"after {limit} {missing}");
    }

    /// <summary>Ends every living node in good order, those that are broken for ever at once, and checks that nothing
    /// is left.</summary>
    /// <exception cref="InvariantViolationException">A promise was broken; R4 when something is left.</exception>
    public void Shutdown()
    {
        _isEnding = true;
        _checks.Ordered.CheckOrder();
        if (IsSettled) CheckSettled();
        foreach (SimulatedNode node in _nodes)
        {
            // What stays broken for ever cannot end in good order.
            if (IsConcerned(node)) node.Shutdown();
            else node.Crash();
        }
        if (!RunUntil(() => _nodes.TrueForAll(node => !node.IsAlive), ShutdownLimit))
            throw _run.Violation("R4", "a node did not end");
        Election?.Stop();
        _membership?.Stop();
        foreach (SimulatedMembership server in Servers)
        {
            if (server.Alarms > 0)
                throw _run.Violation("R4", $"the membership server was stopped with {server.Alarms} alarms set");
        }
    }

    /// <summary>A failure that names this run, for a test's own checks.</summary>
    /// <param name="invariant">Id of the invariant.</param>
    /// <param name="seen">What was seen.</param>
    public InvariantViolationException Violation(string invariant, string seen) => _run.Violation(invariant, seen);

    private void CheckSettled()
    {
        if (PrefixChecks.FindDifference(this, _checks) is { } difference) throw _run.Violation("D5", difference);
        // Of a sender that lives outside the core something may be held for ever.
        bool isWhole = _nodes.TrueForAll(node => !node.IsAlive || IsConcerned(node));
        foreach (SimulatedNode node in _nodes)
        {
            if (!isWhole || !IsConcerned(node) || node.Stack.Rooms.DeliveryCounters.HeldBytes == 0) continue;
            long held = node.Stack.Rooms.DeliveryCounters.HeldBytes;
            throw _run.Violation(
                "R4", $"all is settled, and {node} still holds {held} bytes of messages for their turn");
        }
        if (_run.Log is not { } log) return;
        _run.Note(0, $"settled {string.Join(',', _nodes.Where(IsConcerned).Select(node => node.Index))}");
        if (LogChecker.Check(log.Lines) is [string first, ..])
            throw _run.Violation(first[..first.IndexOf(':', StringComparison.Ordinal)], $"in the log: {first}");
    }

    private IEnumerable<SimulatedMembership> Servers => Election?.Servers ?? [_membership!];

    private SimulatedMembership MakeServer(int host, OffsetClock clock, Action? onWord) => new(
        ServerSettings(Options) with { Probes = _run.ProbesOf(Options.Lives), Crypto = _run.Crypto },
        Options.MembershipLink,
        clock,
        _events,
        _run.Random,
        _run.Trace,
        (server, key, reason) => _removals!.OnRemoved(key, server, reason),
        (server, key) => _removals!.OnTakenOver(key, server.Servers),
        host)
    {
        OnWord = onWord,
    };

    private SimulatedNode AddNode(int machine)
    {
        ulong life = machine < _current.Count ? _current[machine].Life + 1 : 1;
        var node = new SimulatedNode(
            _nodes.Count, machine, life, _run, _checks, _events, _network, _door, VersionsOf(machine),
            Rejoin);
        _nodes.Add(node);
        return node;
    }

    // Of the build that is installed on a machine.
    private ProtocolVersions VersionsOf(int machine)
    {
        IReadOnlyList<int> first = Options.NewestVersions;
        int newest = _installed.TryGetValue(machine, out int later) ? later
            : machine < first.Count ? first[machine] : ProtocolVersions.NewestSpoken;
        return new ProtocolVersions(ProtocolVersions.OldestSpoken, (byte)newest);
    }

    private void Rejoin(SimulatedNode removed)
    {
        if (Options.RejoinDelay is not { } delay) return;
        After(delay, () =>
        {
            if (!_isEnding && _current[removed.Machine] == removed) Revive(removed.Machine);
        });
    }

    private static MembershipServerSettings ServerSettings(SimulationOptions options)
    {
        MembershipServerSettings settings = options.Membership with
        {
            Versions = new ProtocolVersions(ProtocolVersions.OldestSpoken, (byte)options.ServerVersion),
        };
        if (!options.Network.Multicast) return settings with { MulticastFirst = 0, MulticastCount = 0 };
        NetAddress first = options.Network.IPv6 ? new NetAddress(0xFF15_0000_0000_0000, 1)
            : settings.MulticastFirst == default ? 0xEFFF_0001 : settings.MulticastFirst;
        int count = settings.MulticastFirst == default ? 4096 : settings.MulticastCount;
        return settings with { MulticastFirst = first, MulticastCount = count };
    }

    private sealed class FaultExecution(SimulatedCluster cluster) : IEventTarget
    {
        public void OnEvent(object? argument, long value, Instant now)
        {
            var fault = (Fault)argument!;
            fault.Apply(cluster, begins: value == 1);
            if (fault.Duration == TimeSpan.Zero) fault.Apply(cluster, begins: false);
        }
    }

    private sealed class ActionExecution(Action action) : IEventTarget
    {
        public void OnEvent(object? argument, long value, Instant now) => action();
    }
}
