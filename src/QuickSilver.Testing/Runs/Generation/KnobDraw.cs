using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Scheduling;
using QuickSilver.Testing.Security;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Draws network and settings. In half of the runs every value comes from its legal range; in the others all have their
/// defaults, but those that must be short for anything to happen in a run of a minute. A range that breaks an invariant
/// is an illegal range, and the host must refuse it.
/// </summary>
internal static class KnobDraw
{
    /// <summary>Draws a cluster of so many machines.</summary>
    public static SimulationOptions Draw(SimulationRandom random, int nodes)
    {
        var dice = new Dice(random, RandomStream.Options);
        bool knobs = dice.Chance(0.5);
        var membership = new Dice(random, RandomStream.Options, part: 1);
        var network = new Dice(random, RandomStream.Options, part: 2);
        var node = new Dice(random, RandomStream.Options, part: 3);
        var shared = new Dice(random, RandomStream.Options, part: 4);
        var hybrid = new Dice(random, RandomStream.Options, part: 9);
        string[] hybrids = hybrid.Chance(0.4) ? hybrid.Some(TopologyDraw.Names(9), 0.6) : [];
        // Members that read the sender's memory get no hybrid packets.
        double shares = hybrids.Length > 0 && hybrid.Chance(0.7) ? 0 : 0.4;
        var security = new Dice(random, RandomStream.Options, part: 10);
        MembershipLinkModel link = Link(membership);
        return new SimulationOptions
        {
            Nodes = nodes,
            Network = Network(network, nodes) with
            {
                SharedBlocks = shared.Chance(shares) ? (int)shared.Log(2, 100) : 0,
            },
            HybridGroups = hybrids,
            Sealing = !security.Chance(0.5) ? Sealing.None : security.Chance(0.9) ? Sealing.StandIn : Sealing.Real,
            MembershipLink = link,
            Membership = Merging(
                new Dice(random, RandomStream.Options, part: 8), Membership(membership, knobs, link)) with
            {
                RotateAfter = security.Chance(0.5) ? security.LogMillis(1_500, 20_000) : TimeSpan.FromHours(1),
            },
            Node = knobs ? Node(node, nodes) : new NodeSettings { CacheBytes = 64 << 20 },
            Processor = knobs ? new ProcessorModel { PerTurn = node.LogMillis(0.001, 0.05) } : new ProcessorModel(),
            LesserCiphers = Lesser(security, nodes),
            ClockDrift = dice.Chance(0.5) ? 200 : 0,
            RejoinDelay = dice.Chance(0.6) ? dice.LogMillis(10, 3_000) : null,
        };
    }

    /// <summary>
    /// Gives a cluster a server at an address of its own, which nodes may be cut off from and which awaits a majority.
    /// A member that is put out comes back, or the server waits for ever.
    /// </summary>
    public static SimulationOptions WithHost(SimulationRandom random, SimulationOptions options)
    {
        var dice = new Dice(random, RandomStream.Options, part: 5);
        return options with
        {
            ReconnectPause = ReconnectPace.Longest,
            RejoinDelay = options.RejoinDelay ?? dice.LogMillis(10, 3_000),
            Membership = options.Membership with
            {
                AwaitMajority = true,
                TakeoverTimeout = null,
                FoundingGrace = ReconnectPace.HostFoundingGrace,
            },
        };
    }

    // Of no machine, of all, or of some.
    private static int[] Lesser(Dice dice, int nodes)
    {
        if (dice.Chance(0.5)) return [];
        double share = dice.Chance(0.3) ? 1 : dice.Unit();
        return [.. Enumerable.Range(0, nodes).Where(_ => dice.Chance(share))];
    }

    // A slow way to the server lets data come long before the step that it belongs to.
    private static MembershipLinkModel Link(Dice dice)
    {
        bool slow = dice.Chance(0.35);
        return new MembershipLinkModel
        {
            Delay = slow ? dice.LogMillis(0.5, 50) : TimeSpan.FromMilliseconds(0.2),
            Jitter = slow ? dice.LogMillis(1, 500) : dice.Millis(0, 2),
            Stalls = dice.Chance(0.2) ? 0.05 : 0,
        };
    }

    private static NetworkModel Network(Dice dice, int nodes)
    {
        bool small = dice.Chance(0.3), far = dice.Chance(0.15), slow = dice.Chance(0.2);
        return new NetworkModel
        {
            Link = new LinkModel
            {
                Delay = far ? dice.Millis(1, 8) : dice.Millis(0.01, 0.5),
                Jitter = far ? dice.Millis(0, 2) : dice.Millis(0, 0.2),
                Loss = dice.Chance(0.6) ? dice.Unit() * dice.Unit() * 0.2 : 0,
                Duplication = dice.Chance(0.4) ? dice.Unit() * 0.1 : 0,
                Reordering = dice.Chance(0.4) ? dice.Unit() * 0.2 : 0,
                ReorderDelay = dice.LogMillis(0.1, 20),
                Corruption = dice.Chance(0.25) ? dice.Unit() * 0.01 : 0,
            },
            Overrides = OddLinks(dice, nodes),
            Bandwidth = slow ? 100_000_000 : 1_000_000_000,
            PortBufferBytes = slow ? 256 << 10 : 1 << 20,
            SendBufferBytes = small ? 64 << 10 : 1 << 20,
            ReceiveBufferBytes = small ? dice.Between(40, 400) << 10 : 8 << 20,
            SlotBytes = dice.Chance(0.5) ? 1_400 : dice.Between(600, 8_000),
            TrainDatagrams = dice.Chance(0.5) ? 32 : dice.Between(1, 33),
            Multicast = !dice.Chance(0.15),
            MulticastLoopback = dice.Chance(0.5),
            MulticastJoinDelay = dice.Chance(0.9) ? dice.Millis(0, 20) : dice.Millis(0, 1_000),
            CoalesceReads = dice.Chance(0.5),
        };
    }

    // A node that is badly off: far away, or behind a link that loses much.
    private static LinkOverride[] OddLinks(Dice dice, int nodes)
    {
        if (!dice.Chance(0.2)) return [];
        var odd = new LinkModel
        {
            Delay = dice.Millis(0.1, 8),
            Jitter = dice.Millis(0, 2),
            Loss = dice.Unit() * 0.3,
            Reordering = dice.Unit() * 0.3
        };
        int node = dice.Between(0, nodes);
        return dice.Chance(0.5)
            ? [new LinkOverride(node, null, odd), new LinkOverride(null, node, odd)]
            : [new LinkOverride(null, node, odd)];
    }

    private static MembershipServerSettings Membership(Dice dice, bool knobs, MembershipLinkModel link)
    {
        // A grace that is over before a new connection can be there would remove everybody whose connection breaks.
        TimeSpan stalled = link.Stalls > 0 ? 2 * link.StallTime : TimeSpan.Zero;
        TimeSpan reconnecting = TimeSpan.FromMilliseconds(300) + (4 * (link.Delay + link.Jitter)) + stalled;
        var settings = new MembershipServerSettings
        {
            Replication = dice.Between(1, 7),
            FailureTimeout = dice.Chance(0.1) ? Timeout.InfiniteTimeSpan : dice.Millis(2_000, 6_000),
            ReconnectGrace = reconnecting + dice.LogMillis(10, 2_000),
        };
        // As on one machine, where the end of a server is no sign of a network that keeps nodes away.
        if (dice.Chance(0.4)) settings = settings with { TakeoverTimeout = settings.ReconnectGrace };
        if (!knobs) return settings;
        return settings with
        {
            BatchWindow = dice.LogMillis(1, 2_000),
            InstallTimeout = dice.LogMillis(300, 5_000),
            AddressLinger = dice.LogMillis(500, 5_000),
            MulticastFirst = dice.Chance(0.3) ? 0xEFFF_0001 : 0,
            MulticastCount = dice.Between(1, 6),
            PortCount = dice.Between(1, 5),
        };
    }

    // Clusters of a run are small, and so must budgets be that merge anything.
    private static MembershipServerSettings Merging(Dice dice, MembershipServerSettings settings) => settings with
    {
        MaxRegions = dice.Chance(0.35) ? dice.Between(1, 5) : int.MaxValue,
        MaxMulticastRegions = dice.Chance(0.25) ? dice.Between(1, 4) : int.MaxValue,
    };

    private static NodeSettings Node(Dice dice, int nodes)
    {
        // A cache of a few dozen packets goes on by a few packets a round, so the rounds must not be slow then.
        bool tight = dice.Chance(0.2);
        // The order of the draws is part of what a seed means.
        var recovery = new RecoverySettings
        {
            EagerPull = dice.Chance(0.7),
            ReorderGrace = dice.Millis(0, 3),
            MinTokenInterval = tight || dice.Chance(0.7) ? TimeSpan.FromMilliseconds(5) : dice.LogMillis(1, 1_000),
        };
        var node = new NodeSettings
        {
            CacheBytes = tight ? dice.Log(60_000, 4 << 20) : 64 << 20,
            MaxPendingMessages = dice.Chance(0.25) ? (int)dice.Log(1, 50) : 100_000,
            MaxPendingBytes = dice.Chance(0.2) ? dice.Log(50_000, 1 << 20) : 64 << 20,
        };
        var rate = new RateSettings
        {
            Initial = dice.Chance(0.3) ? (int)dice.Log(200, 5_000) : 10_000,
            Fixed = !tight && dice.Chance(0.1),
        };
        node = node with { HeartbeatInterval = nodes > 40 ? TimeSpan.FromSeconds(1) : dice.LogMillis(100, 1_000) };
        rate = rate with { Max = dice.Chance(0.15) ? (int)dice.Log(500, 20_000) : 0 };
        node = node with { NodeMaxPendingBytes = dice.Chance(0.15) ? dice.Log(64 << 10, 64 << 20) : 256 << 20 };
        recovery = recovery with
        {
            HopTimeout = dice.LogMillis(25, 100),
            HopSends = dice.Between(2, 7),
            CutoffAge = dice.LogMillis(5, 200),
            TakeoverPatience = dice.LogMillis(100, 1_000),
        };
        var dissemination = new DisseminationSettings
        {
            BeaconDelay = dice.LogMillis(1, 50),
            MaxBeaconDelay = dice.LogMillis(100, 2_000),
            InitialRoundTrip = dice.LogMillis(1, 100),
            Rate = rate,
        };
        var delivery = new DeliverySettings
        {
            MaxUnrecognised = (int)dice.Log(1, 30_000),
            MaxUnrecognisedBytes = dice.Log(2_000, 16 << 20),
            UnrecognisedAge = dice.LogMillis(50, 5_000),
        };
        recovery = recovery with
        {
            QuietTokenInterval = dice.Chance(0.7) ? TimeSpan.FromMilliseconds(30) : dice.LogMillis(1, 1_000),
        };
        return node with { Recovery = recovery, Dissemination = dissemination, Delivery = delivery };
    }
}
