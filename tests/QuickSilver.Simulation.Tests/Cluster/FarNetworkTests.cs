using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Members that are so far from each other that a hop's acknowledgement takes longer than a hop is waited for
/// at first.</summary>
public class FarNetworkTests
{
    [Theory]
    [InlineData(50)]
    [InlineData(75)]
    [InlineData(120)]
    public void RoundsComeToAnEnd(int oneWay) => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 6,
            Seed = seed,
            Network = new NetworkModel
            {
                Link = new LinkModel
                {
                    Delay = TimeSpan.FromMilliseconds(oneWay),
                    Jitter = TimeSpan.FromMilliseconds(2),
                    Loss = 0.02
                },
            },
            Membership = new MembershipServerSettings { Replication = 3, FailureTimeout = TimeSpan.FromSeconds(60) },
        });
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", 200, TimeSpan.FromMilliseconds(20)));
        cluster.Settle(TimeSpan.FromSeconds(20));
        // The first hops to each member may be given up, while nobody knows how far it is.
        ulong skips = 0;
        foreach (QuickSilver.Testing.Nodes.SimulatedNode node in cluster.Nodes)
            skips += node.Stack.Rooms.RecoveryCounters.TokenSkips;
        if (skips > 60) throw cluster.Violation("D7", $"{skips} hops were given up");
        cluster.Shutdown();
    });
}
