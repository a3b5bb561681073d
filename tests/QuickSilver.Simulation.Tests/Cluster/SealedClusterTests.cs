using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Security;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Clusters whose datagrams are sealed do what others do.</summary>
public sealed class SealedClusterTests
{
    [Theory]
    [InlineData(Sealing.StandIn, false)]
    [InlineData(Sealing.StandIn, true)]
    [InlineData(Sealing.Real, false)]
    [InlineData(Sealing.Real, true)]
    public void Messages_arrive_and_losses_are_repaired(Enum sealing, bool isLent)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Seed = 4,
            Sealing = (Sealing)sealing,
            Network = new NetworkModel
            {
                Link = new LinkModel { Loss = 0.05, Duplication = 0.02, Corruption = 0.01 },
                SharedBlocks = isLent ? 20 : 0,
            },
        });
        cluster.JoinAll("room", "hall");
        for (int node = 0; node < 5; node++)
        {
            cluster.Start(new SendPlan(node, "room", 200, TimeSpan.FromMilliseconds(1)));
        }
        cluster.RunFor(TimeSpan.FromSeconds(1));
        cluster.Settle(TimeSpan.FromSeconds(30));
        Assert.True(cluster.MessagesDelivered >= 5 * 5 * 200);
        if (!isLent) Assert.Contains(cluster.Nodes, node => node.Counters.Rejected[RejectReason.BadTag] > 0);
        cluster.Shutdown();
    }

    [Theory]
    [InlineData(Sealing.StandIn, SimulatedModes.Lateral)]
    [InlineData(Sealing.StandIn, SimulatedModes.Timed)]
    [InlineData(Sealing.Real, SimulatedModes.Lateral)]
    [InlineData(Sealing.Real, SimulatedModes.Timed)]
    public void Groups_of_other_modes_span_regions_and_repair_what_is_lost(Enum sealing, string mode)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Seed = 6,
            Sealing = (Sealing)sealing,
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.05, Duplication = 0.02 } },
        });
        string group = mode + "room";
        cluster.Await([.. cluster.Nodes.Where(static node => node.Index < 4).Select(node => node.Join(group))]);
        // Two regions: who sends to the other is no member there. The last node only sends.
        cluster.Await(cluster.Nodes[2].Join(mode + "hall"), cluster.Nodes[3].Join(mode + "hall"));
        cluster.Await(cluster.Nodes[4].OpenPublishers(group));
        for (int node = 0; node < 5; node++)
            cluster.Start(new SendPlan(node, group, 200, TimeSpan.FromMilliseconds(10)) { MaxBytes = 2_000 });
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(TimeSpan.FromSeconds(30));
        Assert.True(cluster.MessagesDelivered >= 5 * 4 * 200, $"{cluster.MessagesDelivered} messages");
        Assert.All(cluster.Nodes, node => Assert.Equal(0UL, node.Counters.Rejected[RejectReason.NotAllowed]));
        cluster.Shutdown();
    }

    [Fact]
    public void A_lateral_repair_is_opened_in_another_region_than_that_of_who_repairs()
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 3,
            Seed = 8,
            Sealing = Sealing.StandIn,
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.1 } },
        });
        string group = SimulatedModes.Lateral + "room";
        cluster.JoinAll(group);
        cluster.Await(
            cluster.Nodes[1].Join(SimulatedModes.Lateral + "one"),
            cluster.Nodes[2].Join(SimulatedModes.Lateral + "two"));
        cluster.Start(new SendPlan(0, group, 400, TimeSpan.FromMilliseconds(2)));
        cluster.RunFor(TimeSpan.FromSeconds(1));
        cluster.Settle(TimeSpan.FromSeconds(30));
        Assert.All(
            cluster.Nodes.Skip(1),
            static node => Assert.InRange(node.Stack.Rooms.LateralCounters.PacketsRecovered, 10UL, 400UL));
        cluster.Shutdown();
    }
}
