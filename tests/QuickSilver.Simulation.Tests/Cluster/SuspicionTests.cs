using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>The figure of suspicions counts episodes: none while all is well, one for each member that falls
/// silent.</summary>
public class SuspicionTests
{
    [Fact]
    public void AStartInWhichMembersStandStillForMomentsMakesNobodySuspect() => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        SimulatedCluster cluster = Cluster(seed);
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", 500, TimeSpan.FromMilliseconds(2)));
        // As when the runtime compiles what runs for the first time.
        for (int node = 1; node < 8; node++)
        {
            cluster.RunFor(TimeSpan.FromMilliseconds(40));
            cluster.On(node).Freeze(TimeSpan.FromMilliseconds(400));
        }
        cluster.Settle(TimeSpan.FromSeconds(10));
        foreach (SimulatedNode node in cluster.Nodes) Assert.Equal(0ul, node.Stack.Rooms.RecoveryCounters.Suspicions);
        cluster.Shutdown();
    });

    [Fact]
    public void ACutIsOneEpisodeForEachMemberOnItsOtherSide() => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        SimulatedCluster cluster = Cluster(seed);
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", 2_000, TimeSpan.FromMilliseconds(5)));
        cluster.RunFor(TimeSpan.FromSeconds(1));
        for (int node = 1; node < 4; node++) cluster.On(node).Freeze(TimeSpan.FromSeconds(5));
        cluster.Settle(TimeSpan.FromSeconds(20));
        ulong skips = cluster.Nodes.Max(static node => node.Stack.Rooms.RecoveryCounters.TokenSkips);
        foreach (SimulatedNode node in cluster.Nodes)
            Assert.InRange(node.Stack.Rooms.RecoveryCounters.Suspicions, 0ul, 3ul);
        Assert.InRange(cluster.Nodes.Max(static node => node.Stack.Rooms.RecoveryCounters.Suspicions), 1ul, 3ul);
        Assert.True(skips > 6, $"{skips} hops were given up: too few for this test");
        cluster.Shutdown();
    });

    private static SimulatedCluster Cluster(ulong seed) => new(new SimulationOptions
    {
        Nodes = 8,
        Seed = seed,
        Membership = new MembershipServerSettings { Replication = 3, FailureTimeout = TimeSpan.FromSeconds(60) },
    });
}
