using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Cluster;

public class LargeClusterTests
{
    [Fact]
    public void AHundredAndTenNodesInFiveRegionsAtOnePercentLoss()
    {
        const int Nodes = 110;
        const int Regions = 5;
        Scenario scenario = Make(Nodes) with
        {
            Groups = [.. Enumerable.Range(0, Nodes).Select(node => new[] { "all", $"region-{node % Regions}" })],
            Plans =
            [
                new SendPlan(0, "all", 300, TimeSpan.FromMilliseconds(2)) { MinBytes = 500, MaxBytes = 1500 },
                new SendPlan(1, "all", 300, TimeSpan.FromMilliseconds(2)) { MinBytes = 500, MaxBytes = 1500 },
                new SendPlan(7, "region-2", 300, TimeSpan.FromMilliseconds(2)),
            ],
        };
        SimulatedCluster cluster = scenario.Run();
        Assert.Equal((600UL * Nodes) + (300UL * 22), cluster.MessagesDelivered);
        Assert.Equal((600UL * Regions) + 300UL, cluster.MessageTransmissions);
    }

    [Fact]
    public void FortyNodesWithGroupsOfTheirOwnInTwoMergedRegionsAtOnePercentLoss()
    {
        const int Nodes = 40;
        Scenario scenario = Make(Nodes);
        scenario = scenario with
        {
            Options = scenario.Options with { Membership = new MembershipServerSettings { MaxRegions = 2 } },
            Groups = [
                .. Enumerable.Range(0, Nodes)
                    .Select(node => new[] { "all", $"half-{node % 2}", $"pair-{node / 2}" })],
            Plans =
            [
                new SendPlan(0, "all", 300, TimeSpan.FromMilliseconds(2)) { MinBytes = 500, MaxBytes = 1500 },
                new SendPlan(1, "half-1", 300, TimeSpan.FromMilliseconds(2)) { MinBytes = 500, MaxBytes = 1500 },
                new SendPlan(2, "pair-1", 300, TimeSpan.FromMilliseconds(2)),
            ],
        };
        SimulatedCluster cluster = scenario.Run();
        Assert.Equal((300UL * Nodes) + (300UL * Nodes / 2) + (300UL * 2), cluster.MessagesDelivered);

        // Exact regions are one a node: forty, twenty and two copies.
        Assert.InRange(cluster.MessageTransmissions, 900UL, 300UL * 6);
        Assert.True(cluster.Nodes.Sum(node => (long)node.Stack.Rooms.DeliveryCounters.MessagesFiltered) > 300 * 20);
    }

    [Fact]
    public void AHundredAndNinetyTwoNodesInOneRegionOfThirtyEightPartitionsAtOnePercentLoss()
    {
        const int Nodes = 192;
        Scenario scenario = Make(Nodes) with
        {
            Groups = [.. Enumerable.Repeat(new[] { "all" }, Nodes)],
            Plans =
            [
                new SendPlan(0, "all", 300, TimeSpan.FromMilliseconds(2)) { MinBytes = 500, MaxBytes = 1500 },
                new SendPlan(100, "all", 300, TimeSpan.FromMilliseconds(2)) { MinBytes = 500, MaxBytes = 1500 },
            ],
        };
        Assert.Equal(38, new PartitionMap(Nodes, 5).Count);
        SimulatedCluster cluster = scenario.Run();
        Assert.Equal(600UL * Nodes, cluster.MessagesDelivered);
        Assert.Equal(600UL, cluster.MessageTransmissions);
    }

    private static Scenario Make(int nodes) => new()
    {
        Options = new SimulationOptions
        {
            Nodes = nodes,
            Seed = 1,
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.01 } },
            Membership = new MembershipServerSettings { Replication = 5 },
        },
        Groups = [],
        Plans = [],
    };
}
