using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Simulation.Tests.Scenarios;

/// <summary>
/// Draws scenarios: network, options, groups, senders and faults. Each seed leaves out some kinds of trouble, so that
/// rare combinations of the others get their turn (swarm testing).
/// </summary>
internal sealed class RandomScenario(ulong seed, int nodes)
{
    private static readonly TimeSpan Sending = TimeSpan.FromSeconds(1);

    private readonly SimulationRandom _random = new(seed);
    private ulong _draws;

    /// <summary>A scenario in which nodes join and leave while messages are sent.</summary>
    public static Scenario MakeWithMoves(ulong seed, int nodes, string test)
    {
        var random = new RandomScenario(seed, nodes);
        Scenario scenario = random.Build(test);
        return scenario with { Moves = random.DrawMoves(scenario.Groups) };
    }

    /// <summary>A scenario in which a few nodes that only receive crash while messages are sent, and are
    /// removed.</summary>
    public static Scenario MakeWithCrashes(ulong seed, int nodes, string test)
    {
        var random = new RandomScenario(seed, nodes);
        Scenario scenario = random.Build(test);
        SimulationOptions options = scenario.Options;
        int[] receivers = [.. Enumerable.Range(0, nodes).Where(node => scenario.Plans.All(plan => plan.Node != node))];
        if (receivers.Length == 0) return scenario;
        MembershipServerSettings membership = options.Membership with
        {
            FailureTimeout = TimeSpan.FromSeconds(3),
            ReconnectGrace = TimeSpan.FromMilliseconds(500),
        };
        IEnumerable<Fault> crashes = Enumerable.Range(0, random.Between(1, 4))
            .Select(
                _ => new NodeCrash(random.Micros(20_000, 1_500_000), receivers[random.Between(0, receivers.Length)]));
        // A freeze that lasts as long as the detector's patience would be a crash of another kind.
        return scenario with
        {
            Options = options with { Membership = membership },
            Faults = [.. scenario.Faults.Where(fault => fault is not NodeFreeze), .. crashes],
        };
    }

    /// <summary>
    /// A scenario in which nodes crash whatever they do: senders, leaders, a few at one instant or all but one, early
    /// or late. With moves, the views change meanwhile.
    /// </summary>
    public static Scenario MakeWithDeaths(ulong seed, int nodes, string test, bool moves)
    {
        var random = new RandomScenario(seed, nodes);
        Scenario scenario = random.Build(test);
        SimulationOptions options = scenario.Options;
        MembershipServerSettings membership = options.Membership with
        {
            FailureTimeout = TimeSpan.FromSeconds(3),
            ReconnectGrace = TimeSpan.FromMilliseconds(random.Between(50, 1_000)),
        };
        var crashes = new List<Fault>();
        int most = random.Chance(0.2) ? nodes - 1 : random.Between(1, Math.Max(2, nodes / 2));
        TimeSpan together = random.Micros(20_000, 1_500_000);
        int first = random.Between(0, nodes);
        for (int dead = 0; dead < most; dead++)
        {
            crashes.Add(
                new NodeCrash(
                    random.Chance(0.4) ? together : random.Micros(20_000, 2_500_000), (first + dead) % nodes));
        }
        return scenario with
        {
            Options = options with { Membership = membership },
            Faults = [.. scenario.Faults.Where(fault => fault is not NodeFreeze), .. crashes],
            Moves = moves ? random.DrawMoves(scenario.Groups) : [],
        };
    }

    public static Scenario Make(ulong seed, int nodes, string test) => new RandomScenario(seed, nodes).Build(test);

    private Scenario Build(string test)
    {
        string[] names = [.. Enumerable.Range(0, Between(1, 9)).Select(index => $"group-{index}")];
        string[][] groups = DrawGroups(names);
        NodeSettings node = DrawSettings();
        return new Scenario
        {
            Options = new SimulationOptions
            {
                Nodes = nodes,
                Seed = seed,
                Network = DrawNetwork(),
                MembershipLink = new MembershipLinkModel { Jitter = Micros(0, 2000), Stalls = Chance(0.2) ? 0.05 : 0 },
                Membership = new MembershipServerSettings
                {
                    Replication = Between(2, 7),
                    FailureTimeout = TimeSpan.FromSeconds(60)
                },
                Node = node,
                ReplayHint = Seeds.Replay(seed, test),
            },
            Groups = groups,
            Plans = DrawPlans(groups),
            Faults = DrawFaults(),
            // Small windows, slow rounds and much loss together make some runs crawl; what counts is that they arrive.
            SettleLimit = TimeSpan.FromSeconds(300),
        };
    }

    private NetworkModel DrawNetwork()
    {
        bool small = Chance(0.3);
        bool far = Chance(0.15);
        bool slow = Chance(0.2);
        return new NetworkModel
        {
            Link = new LinkModel
            {
                Delay = far ? Micros(1_000, 8_000) : Micros(10, 500),
                Jitter = far ? Micros(0, 2_000) : Micros(0, 200),
                Loss = Chance(0.85) ? Unit() * 0.2 : 0,
                Duplication = Chance(0.5) ? Unit() * 0.1 : 0,
                Reordering = Chance(0.5) ? Unit() * 0.2 : 0,
                ReorderDelay = Micros(100, 5000),
                Corruption = Chance(0.3) ? Unit() * 0.01 : 0,
            },
            Overrides = DrawOddLinks(),
            Bandwidth = slow ? 100_000_000 : 1_000_000_000,
            PortBufferBytes = slow ? 256 << 10 : 1 << 20,
            SendBufferBytes = small ? 64 << 10 : 1 << 20,
            ReceiveBufferBytes = small ? Between(40, 400) << 10 : 8 << 20,
            SlotBytes = Chance(0.5) ? 1_400 : Between(600, 8_000),
            TrainDatagrams = Chance(0.5) ? 32 : Between(1, 33),
            Multicast = !Chance(0.15),
            MulticastLoopback = Chance(0.5),
            MulticastJoinDelay = Micros(0, 20_000),
            CoalesceReads = Chance(0.5),
        };
    }

    // A node or two that are badly off: far away, or behind a link that loses much.
    private LinkOverride[] DrawOddLinks()
    {
        if (!Chance(0.25)) return [];
        var odd = new LinkModel
        {
            Delay = Micros(100, 8_000),
            Jitter = Micros(0, 2_000),
            Loss = Unit() * 0.3,
            Reordering = Unit() * 0.3
        };
        int node = Between(0, nodes);
        return Chance(0.5)
            ? [new LinkOverride(node, null, odd), new LinkOverride(null, node, odd)]
            : [new LinkOverride(null, node, odd)];
    }

    private NodeSettings DrawSettings()
    {
        // A cache of a few dozen packets goes on by a few packets a round, so the rounds must not be slow then.
        bool tight = Chance(0.2);
        var recovery = new RecoverySettings
        {
            EagerPull = Chance(0.7),
            ReorderGrace = Micros(0, 3000),
            MinTokenInterval = tight || Chance(0.7) ? TimeSpan.FromMilliseconds(5) : Micros(1000, 1_000_000),
        };
        return new NodeSettings
        {
            CacheBytes = tight ? 2 << 20 : 64 << 20,
            MaxPendingMessages = Chance(0.2) ? 20 : 100_000,
            MaxPendingBytes = Chance(0.2) ? 200_000 : 64 << 20,
            Dissemination = new DisseminationSettings
            {
                Rate = new RateSettings
                {
                    Initial = Chance(0.3) ? Between(200, 5_000) : 10_000,
                    Fixed = !tight && Chance(0.1),
                },
            },
            Recovery = recovery with
            {
                QuietTokenInterval = Chance(0.7) ? TimeSpan.FromMilliseconds(30) : Micros(1000, 1_000_000),
            },
        };
    }

    // A few patterns of groups, so that several nodes share one and make a region together; one node in ten has a
    // pattern of its own.
    private string[][] DrawGroups(string[] names)
    {
        string[][] patterns = [.. Enumerable.Range(0, Between(1, 6)).Select(_ => Subset(names))];
        return [
            .. Enumerable.Range(0, nodes)
            .Select(_ => Chance(0.1) ? Subset(names) : patterns[Between(0, patterns.Length)])];
    }

    private string[] Subset(string[] names)
    {
        string[] subset = [.. names.Where(_ => Chance(0.5))];
        return subset.Length > 0 ? subset : [names[Between(0, names.Length)]];
    }

    private List<SendPlan> DrawPlans(string[][] groups)
    {
        var plans = new List<SendPlan>();
        var used = new HashSet<(int, string)>();
        for (int sender = Between(2, 10); sender > 0; sender--)
        {
            int node = Between(0, nodes);
            string group = groups[node][Between(0, groups[node].Length)];
            if (!used.Add((node, group))) continue;
            int longest = Chance(0.3) ? 20_000 : 1_500;
            plans.Add(
                new SendPlan(
                    node, group, Chance(0.2) ? Between(100, 600) : Between(10, 80),
                    Chance(0.3) ? TimeSpan.Zero : Micros(100, 10_000))
                {
                    Start = Micros(0, 50_000),
                    MinBytes = Chance(0.2) ? 0 : 8,
                    MaxBytes = Between(8, longest),
                    Pulled = Chance(0.2),
                });
        }
        return plans;
    }

    private List<Move> DrawMoves(string[][] groups)
    {
        string[] names = [.. groups.SelectMany(list => list).Distinct().Order(StringComparer.Ordinal), "late-group"];
        var moves = new List<Move>();
        for (int count = Between(1, 12); count > 0; count--)
        {
            TimeSpan at = Micros(0, (int)Sending.TotalMicroseconds);
            moves.Add(
                new Move(at, Between(0, nodes), Chance(0.6) ? Subset(names) : [], Chance(0.7) ? Subset(names) : []));
        }
        return moves;
    }

    private List<Fault> DrawFaults()
    {
        var faults = new List<Fault>();
        for (int count = Chance(0.5) ? Between(1, 4) : 0; count > 0; count--)
        {
            TimeSpan at = Micros(0, 1_500_000), duration = Micros(1_000, 800_000);
            int node = Between(0, nodes);
            faults.Add(Between(0, 6) switch
            {
                0 => new NodeFreeze(at, duration, node),
                1 => new DeafNode(at, duration, node),
                2 => new MuteNode(at, duration, node),
                3 => new Partition(at, duration, [.. Enumerable.Range(0, nodes).Where(_ => Chance(0.3))]),
                4 => new LossBurst(at, duration, null, null, Unit()),
                _ => new MulticastOutage(at, duration),
            });
        }
        return faults;
    }

    private double Unit() => _random.DrawUnit(RandomStream.Options, 0, 0, _draws++);

    private bool Chance(double probability) => Unit() < probability;

    private int Between(int from, int to) => _random.DrawBetween(from, to, RandomStream.Options, 0, 0, _draws++);

    private TimeSpan Micros(int from, int to) => TimeSpan.FromMicroseconds(Between(from, to));
}
