using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Stack;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>One test for each defect that the simulator has found, on a seed that showed it; each says what was
/// wrong.</summary>
public class RegressionTests
{
    // The leader of another partition than the first visits itself after the first one; what others hold, which it
    // alone knew, never reached the first partition's members, and without eager pull they never asked for other
    // partitions' packets.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void ALeaderOfALaterPartitionTellsTheFirstOneWhatOthersHold(ulong seed)
    {
        Scenario scenario = Make(
            seed, nodes: 24, replication: 4, loss: 0.17,
            new NodeSettings { Recovery = new() { EagerPull = false } }) with
        {
            Plans = [new SendPlan(0, "group", 200, TimeSpan.FromMilliseconds(5)) { MinBytes = 1000, MaxBytes = 1000 }],
            // Long enough for the node to be replaced as leader, if it is; who leads first depends on the seed.
            Faults =
            [
                .. Enumerable.Range(0, 12)
                    .Select(
                        pair => new NodeFreeze(
                            TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(900), 2 * pair)),
            ],
        };
        scenario.Run();
    }

    // What was kept above a gap filled the cache, the packet that would have filled the gap found no room, and nothing
    // could ever become stable.
    [Theory]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(3, true)]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, false)]
    public void ACacheFullOfWhatCameAfterAGapStillTakesTheGap(ulong seed, bool eagerPull)
    {
        Scenario scenario = Make(
            seed, nodes: 8, replication: 2, loss: 0.15,
            new NodeSettings { Recovery = new() { EagerPull = eagerPull }, CacheBytes = 100_000 }) with
        {
            Plans = [
                .. Enumerable.Range(0, 4)
                .Select(node => new SendPlan(node, "group", 300, TimeSpan.Zero) { MinBytes = 500, MaxBytes = 1_200 })],
        };
        scenario.Run();
    }

    // Recovery and delivery each had a cap of their own: together they kept more than the node was allowed.
    [Fact]
    public void WhatIsKeptForOthersAndForDeliveryHasOneCap()
    {
        Scenario scenario = Make(5, nodes: 4, replication: 5, loss: 0.2, new NodeSettings { CacheBytes = 300_000 }) with
        {
            Plans = [new SendPlan(0, "group", 1_000, TimeSpan.Zero) { MinBytes = 1_000, MaxBytes = 1_000 }],
        };
        scenario.Run();
    }

    // Rounds of 90 hops at 16 ms of round trip took longer than the patience of low ranks: each took the lead and began
    // again, and no round ever ended.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void RoundsThatTakeLongAreWaitedFor(ulong seed)
    {
        Scenario scenario = Make(seed, nodes: 60, replication: 2, loss: 0.15, new NodeSettings()) with
        {
            Plans = [new SendPlan(0, "group", 50, TimeSpan.FromMilliseconds(5))],
            SettleLimit = TimeSpan.FromSeconds(60),
        };
        var link = new LinkModel { Loss = 0.15, Delay = TimeSpan.FromMilliseconds(8) };
        (scenario with { Options = scenario.Options with { Network = new NetworkModel { Link = link } } }).Run();
    }

    // 3029: a clock's origin was taken for the distance between two rounds, and a leader waited by the hour for a token
    // that was lost with its holder. 42712: a leader fell when it had told everybody but the sender that all was
    // stable, and the sender was the next to lead. Both settle within three seconds now, crashes and their removal
    // included.
    [Theory]
    [InlineData(3029)]
    [InlineData(42712)]
    public void WhoComesToLeadGoesOnSoon(ulong seed) =>
        (RandomScenario.MakeWithCrashes(
            seed, 9, nameof(WhoComesToLeadGoesOnSoon)) with
        { SettleLimit = TimeSpan.FromSeconds(5) }).Run();

    // When all members of a partition were gone, nobody could show that it held its packets; without eager pull they
    // were waited for, not asked from the sender.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void PacketsOfAPartitionOfWhichNobodyIsLeftComeFromTheSender(ulong seed)
    {
        TimeSpan crash = TimeSpan.FromMilliseconds(600);
        Scenario scenario = Make(
            seed, nodes: 6, replication: 2, loss: 0.15,
            new NodeSettings { Recovery = new() { EagerPull = false } }) with
        {
            Plans = [new SendPlan(0, "group", 400, TimeSpan.FromMilliseconds(3))],
            Faults = [.. Enumerable.Range(3, 3).Select(node => new NodeCrash(crash, node))],
            SettleLimit = TimeSpan.FromSeconds(20),
        };
        var cluster = new SimulatedCluster(WithFastDetector(scenario.Options));
        ProtocolRegionView? hit = null;
        cluster.After(crash, () => hit = cluster.Nodes[0].FindGroup("group")!.Local.Regions[0]);
        scenario.RunToSettled(cluster);

        // How the members are dealt to partitions of two depends on the seed: with these, a partition has lost both.
        Assert.Contains(Enumerable.Range(0, hit!.Partitions.Count), partition => HasLostAll(hit, partition));
        Assert.Contains("the sender is asked since nobody is left in the packet's partition", cluster.Marks.Keys);
        cluster.Shutdown();
    }

    // Two neighbours lacked the same beginning of a stream; the member before them held a part of it, and a run held in
    // part was left for a later round.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void NeighboursThatMissedTheBeginningGetItPieceByPiece(ulong seed)
    {
        var settings = new NodeSettings { Recovery = new() { EagerPull = false }, CacheBytes = 300_000 };
        Scenario scenario = Make(seed, nodes: 8, replication: 8, loss: 0.03, settings) with
        {
            Plans =
            [
                new SendPlan(0, "group", 250, TimeSpan.Zero) { MinBytes = 1_000, MaxBytes = 1_200 },
                new SendPlan(1, "group", 250, TimeSpan.Zero) { MinBytes = 1_000, MaxBytes = 1_200 },
            ],
            Faults = [
                .. Enumerable.Range(4, 4)
                .Select(node => new DeafNode(TimeSpan.Zero, TimeSpan.FromMilliseconds(700), node))],
        };
        scenario.Run();
    }

    // The first two members of a partition were silent, and the leader behind them took itself for the next one to send
    // the token to.
    [Theory]
    [InlineData(10203)]
    [InlineData(10240)]
    public void ALeaderDoesNotSendTheTokenToItself(ulong seed) =>
        RandomScenario.Make(seed, 2 + (int)(seed % 6), nameof(ALeaderDoesNotSendTheTokenToItself)).Run();

    // A message bound before its sender left, and packed after it had joined again, was delivered to the sender in its
    // new session.
    [Fact]
    public void OwnMessagesOfASessionThatIsOverAreNotDelivered() =>
        RandomScenario.MakeWithMoves(20377, 4, nameof(OwnMessagesOfASessionThatIsOverAreNotDelivered)).Run();

    private static bool HasLostAll(ProtocolRegionView view, int partition) =>
        Enumerable.Range(0, view.Partitions.SizeOf(partition))
        .All(position => view.Members[view.Partitions.MemberAt(partition, position)].IsRemoved);

    private static SimulationOptions WithFastDetector(SimulationOptions options) => options with
    {
        Membership = options.Membership with
        {
            FailureTimeout = TimeSpan.FromSeconds(3),
            ReconnectGrace = TimeSpan.FromMilliseconds(500)
        },
    };

    private static Scenario Make(ulong seed, int nodes, int replication, double loss, NodeSettings settings) => new()
    {
        Options = new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Membership = new MembershipServerSettings
            {
                Replication = replication,
                FailureTimeout = TimeSpan.FromSeconds(60)
            },
            Node = settings,
        },
        Groups = [.. Enumerable.Repeat(new[] { "group" }, nodes)],
        Plans = [],
    };
}
