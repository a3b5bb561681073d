using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>One test for each defect that the simulator has found, on a seed that showed it; each says what was wrong.</summary>
public class RegressionTests
{
    // The leader of another partition than the first visits itself after the first one; what others hold, which it alone knew, never reached the first partition's members, and
    // without eager pull they never asked for other partitions' packets.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void ALeaderOfALaterPartitionTellsTheFirstOneWhatOthersHold(ulong seed)
    {
        Scenario scenario = Make(seed, nodes: 24, replication: 4, loss: 0.17, new NodeSettings { EagerPull = false }) with
        {
            Plans = [new SendPlan(0, "group", 200, TimeSpan.FromMilliseconds(5)) { MinBytes = 1000, MaxBytes = 1000 }],
            // Long enough for the node to be replaced as leader, if it is; who leads first depends on the seed.
            Faults = [.. Enumerable.Range(0, 24).Select(node => new NodeFreeze(TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(900), node)).Where((_, node) => node % 2 == 0)],
        };
        scenario.Run();
    }

    // What was kept above a gap filled the cache, the packet that would have filled the gap found no room, and nothing could ever become stable.
    [Theory]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(3, true)]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, false)]
    public void ACacheFullOfWhatCameAfterAGapStillTakesTheGap(ulong seed, bool eagerPull)
    {
        Scenario scenario = Make(seed, nodes: 8, replication: 2, loss: 0.15, new NodeSettings { EagerPull = eagerPull, CacheBytes = 100_000 }) with
        {
            Plans = [.. Enumerable.Range(0, 4).Select(node => new SendPlan(node, "group", 300, TimeSpan.Zero) { MinBytes = 500, MaxBytes = 1_200 })],
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

    private static Scenario Make(ulong seed, int nodes, int replication, double loss, NodeSettings settings) => new()
    {
        Options = new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Membership = new MembershipServerSettings { Replication = replication, FailureTimeout = TimeSpan.FromSeconds(60) },
            Node = settings,
        },
        Groups = [.. Enumerable.Repeat(new[] { "group" }, nodes)],
        Plans = [],
    };
}
