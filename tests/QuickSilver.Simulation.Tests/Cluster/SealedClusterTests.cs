using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
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
    public void Messages_arrive_and_losses_are_repaired(Sealing sealing, bool isLent)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Seed = 4,
            Sealing = sealing,
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
}
