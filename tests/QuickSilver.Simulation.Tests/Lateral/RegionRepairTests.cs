using QuickSilver.Protocol.Lateral.Regions;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Security;

namespace QuickSilver.Simulation.Tests.Lateral;

/// <summary>Lateral repair beneath reliable groups, in whole clusters; all invariants hold.</summary>
public sealed class RegionRepairTests
{
    private const int Messages = 400;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    public void WhatIsLostIsMendedLaterallyAndTheRingAsksForTheRest(ulong seed, bool isSealed)
    {
        SimulatedCluster cluster = Run(
            seed, new RegionRepairSettings(), eager: false, isSealed ? Sealing.StandIn : Sealing.None);
        RecoveryCounters sum = Sum(cluster);
        ulong asked = sum.RepairsFromPeers + sum.RepairsFromSenders;
        Assert.True(sum.RepairsLateral > 2 * asked, $"{sum.RepairsLateral} lateral, {asked} asked for");
        Assert.True(sum.RepairsWasted <= asked, $"{sum.RepairsWasted} wasted of {asked}");
        Assert.All(cluster.Nodes, static node => Assert.Equal(0UL, Repairs(node).PacketsDisproved));
        Assert.All(cluster.Nodes, static node => Assert.Equal(0UL, node.Counters.MessagesLost));
        cluster.Shutdown();
    }

    [Fact]
    public void AGapThatIsMendedLaterallyIsAskedForByNobody()
    {
        SimulatedCluster with = Run(4, new RegionRepairSettings { RepairsPerPacket = 5 }, eager: false);
        SimulatedCluster without = Run(4, null, eager: false);
        RecoveryCounters one = Sum(with);
        RecoveryCounters other = Sum(without);
        Assert.Equal(0UL, other.RepairsLateral);
        Assert.True(
            3 * (one.PullsSent + one.NaksSent) < other.PullsSent + other.NaksSent,
            $"{one.PullsSent + one.NaksSent} requests, {other.PullsSent + other.NaksSent} without repairs");
        with.Shutdown();
        without.Shutdown();
    }

    [Fact]
    public void ARarePacketIsMendedThoughNoOtherFollows()
    {
        SimulatedCluster cluster = Make(5, new RegionRepairSettings(), eager: true, Sealing.None, loss: 0.2);
        cluster.JoinAll("one");
        cluster.Start(new SendPlan(0, "one", 40, TimeSpan.FromMilliseconds(200)));
        cluster.RunFor(TimeSpan.FromSeconds(10));
        cluster.Settle(Limit);
        RecoveryCounters sum = Sum(cluster);
        Assert.True(sum.RepairsLateral > 10, $"{sum.RepairsLateral} lateral, {sum.PacketsMissed} missed");
        cluster.Shutdown();
    }

    [Fact]
    public void LongPacketsAreLeftToTheRing()
    {
        SimulatedCluster cluster = Make(
            6, new RegionRepairSettings(), eager: true, Sealing.None, loss: 0.05, slot: 8_000);
        cluster.JoinAll("one");
        cluster.Start(
            new SendPlan(0, "one", Messages, TimeSpan.FromMilliseconds(4)) { MinBytes = 3_000, MaxBytes = 6_000 });
        cluster.RunFor(TimeSpan.FromSeconds(3));
        cluster.Settle(Limit);
        Assert.All(cluster.Nodes, static node => Assert.Equal(0UL, Repairs(node).RepairsSent));
        Assert.All(cluster.Nodes, static node => Assert.Equal(Messages, node.FindGroup("one")!.Delivered));
        cluster.Shutdown();
    }

    [Fact]
    public void ARepairThatOutlivesItsMakerIsDropped()
    {
        SimulatedCluster cluster = Make(7, new RegionRepairSettings(), eager: false, Sealing.None, loss: 0.3);
        cluster.JoinAll("one");
        for (int node = 0; node < 4; node++)
            cluster.Start(new SendPlan(node, "one", Messages, TimeSpan.FromMilliseconds(4)));
        cluster.Inject(new NodeCrash(TimeSpan.FromMilliseconds(700), 1));
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(Limit);
        Assert.True(Sum(cluster).RepairsLateral > 0);
        cluster.Shutdown();
    }

    // Eight members, a message of each in 4 ms, 1 % loss. The figures of docs/modes.md, in virtual time.
    [Theory]
    [InlineData(0.05)]
    [InlineData(5)]
    public void WhatRepairsCostAndGain(double delay)
    {
        var table = new List<(TimeSpan Mean, ulong Asked)>();
        (bool, bool)[] runs = [(true, false), (true, true), (false, false), (false, true)];
        foreach ((bool isEager, bool isLateral) in runs)
        {
            SimulatedCluster cluster = Make(
                8, isLateral ? new RegionRepairSettings() : null, isEager, Sealing.None, loss: 0.01, nodes: 8,
                delay: TimeSpan.FromMilliseconds(delay));
            cluster.JoinAll("one");
            for (int node = 0; node < 8; node++)
                cluster.Start(new SendPlan(node, "one", 2_000, TimeSpan.FromMilliseconds(4)));
            cluster.RunFor(TimeSpan.FromSeconds(9));
            cluster.Settle(Limit);
            RecoveryCounters sum = Sum(cluster);
            SimulatedGroup[] groups = [.. cluster.Nodes.Select(static node => node.FindGroup("one")!)];
            TimeSpan mean = TimeSpan.FromTicks(groups.Sum(static group => group.DeliveryTimes.Ticks))
                / groups.Sum(static group => group.Delivered);
            ulong asked = sum.PullsSent + sum.NaksSent;
            table.Add((mean, asked));
            ulong sent = (ulong)cluster.Nodes.Sum(static node => (long)Repairs(node).RepairsSent);
            ulong data = (ulong)cluster.Nodes.Sum(static node => (long)node.Counters.PacketsSent);
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"{delay} ms, eager {isEager}, lateral {isLateral}: mean {mean.TotalMilliseconds:N3} ms, "
                + $"longest {groups.Max(static group => group.LongestDelivery).TotalMilliseconds:N1} ms, "
                + $"missed {sum.PacketsMissed}, lateral {sum.RepairsLateral}, by peers {sum.RepairsFromPeers}, "
                + $"by senders {sum.RepairsFromSenders}, wasted {sum.RepairsWasted}, requests {asked}, "
                + $"lateral repairs {sent} of {data} packets, "
                + $"unusable {cluster.Nodes.Sum(static node => (long)Repairs(node).RepairsUnusable)}");
            cluster.Shutdown();
        }
        // The token alone is slow; beside it combinations mend, and nearly nothing is asked for.
        Assert.True(table[3].Mean < table[2].Mean, $"{table[3].Mean} with repairs, {table[2].Mean} without");
        Assert.True(table[3].Asked < table[2].Asked);
        Assert.True(table[1].Asked <= table[0].Asked, $"{table[1].Asked} requests, {table[0].Asked} without repairs");
    }

    private static SimulatedCluster Run(
        ulong seed, RegionRepairSettings? repair, bool eager, Sealing sealing = Sealing.None)
    {
        SimulatedCluster cluster = Make(seed, repair, eager, sealing, loss: 0.02);
        cluster.JoinAll("one");
        cluster.JoinAll("two");
        for (int node = 0; node < 4; node++)
            cluster.Start(new SendPlan(node, node % 2 == 0 ? "one" : "two", Messages, TimeSpan.FromMilliseconds(4)));
        cluster.RunFor(TimeSpan.FromSeconds(3));
        cluster.Settle(Limit);
        Assert.All(cluster.Nodes, static node => Assert.Equal(2 * Messages, node.FindGroup("one")!.Delivered));
        return cluster;
    }

    private static SimulatedCluster Make(
        ulong seed,
        RegionRepairSettings? repair,
        bool eager,
        Sealing sealing,
        double loss,
        int slot = 1_400,
        int nodes = 6,
        TimeSpan? delay = null) =>
        new(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            LateralRepair = repair,
            Sealing = sealing,
            Node = new NodeSettings { Recovery = new() { EagerPull = eager } },
            Network = new NetworkModel
            {
                Link = new LinkModel { Loss = loss, Delay = delay ?? new LinkModel().Delay },
                SlotBytes = slot,
            },
        });

    private static RegionRepairCounters Repairs(SimulatedNode node) => node.Stack.Rooms.RegionRepairs.Counters;

    private static RecoveryCounters Sum(SimulatedCluster cluster)
    {
        var sum = new RecoveryCounters();
        foreach (SimulatedNode node in cluster.Nodes)
        {
            RecoveryCounters one = node.Stack.Rooms.RecoveryCounters;
            sum.RepairsLateral += one.RepairsLateral;
            sum.RepairsWasted += one.RepairsWasted;
            sum.RepairsFromPeers += one.RepairsFromPeers;
            sum.RepairsFromSenders += one.RepairsFromSenders;
            sum.PacketsMissed += one.PacketsMissed;
            sum.PullsSent += one.PullsSent;
            sum.NaksSent += one.NaksSent;
        }
        return sum;
    }
}
