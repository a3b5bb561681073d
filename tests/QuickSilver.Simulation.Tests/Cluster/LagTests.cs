using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Of twelve members one is slow: each node that sends to it says within seconds which one, and why, and
/// nobody names another.</summary>
public class LagTests
{
    private const int Slow = 7;
    private static readonly int[] Senders = [0, 5, 11];
    private static readonly TimeSpan Tick = TimeSpan.FromSeconds(1);

    [Fact]
    public void AMemberThatStandsStillNineTenthsOfTheTimeIsNamedAsSilent() => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        SimulatedCluster cluster = Cluster(seed);
        for (int round = 0; round < 3; round++)
        {
            cluster.On(Slow).Freeze(Tick * 0.9);
            cluster.RunFor(Tick);
        }
        cluster.On(Slow).Freeze(Tick * 0.9);
        cluster.RunFor(Tick * 0.85);
        ExpectNamed(cluster, LagCause.Silent);
        ExpectForgotten(cluster);
    });

    [Fact]
    public void AMemberWhoseDataIsLostOnTheWayIsNamedAsLosing() => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        SimulatedCluster cluster = Cluster(seed);
        // What is sent to it again is lost too, and comes in the end.
        foreach (DatagramKind kind in new[] { DatagramKind.Data, DatagramKind.Repair })
            cluster.Inject(new KindLoss(cluster.Elapsed, Tick * 3.5, kind, int.MaxValue, null, Slow));
        cluster.RunFor(Tick * 3);
        ExpectNamed(cluster, LagCause.Losing);
        ExpectForgotten(cluster);
    });

    [Fact]
    public void NobodyIsNamedWhereAllAreWellOrLoseAPacketNowAndThen() => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        SimulatedCluster cluster = Cluster(seed, loss: 0.01);
        for (int second = 0; second < 10; second++)
        {
            cluster.RunFor(Tick);
            foreach (SimulatedNode node in cluster.Nodes) Assert.Equal(0, node.Stack.Rooms.Lags.HoldingUp);
        }
        cluster.Settle(Tick * 20);
        cluster.Shutdown();
    });

    private static SimulatedCluster Cluster(ulong seed, double loss = 0)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 12,
            Seed = seed,
            Network = new() { Link = new() { Loss = loss } },
            Membership = new MembershipServerSettings { Replication = 3, FailureTimeout = Tick * 60 },
        });
        // Nodes 10 and 11 are a region of their own: they send to the others' region without being members of it.
        cluster.JoinAll("news");
        SimulatedJoin other = cluster.On(10).Join("more");
        SimulatedJoin last = cluster.On(11).Join("more");
        Assert.True(cluster.RunUntil(() => other.IsCompleted && last.IsCompleted, Tick * 10));
        foreach (int sender in Senders) cluster.Start(new SendPlan(sender, "news", 4_000, Tick / 500));
        cluster.RunFor(Tick);
        return cluster;
    }

    private static void ExpectNamed(SimulatedCluster cluster, LagCause cause)
    {
        foreach (SimulatedNode node in cluster.Nodes)
        {
            LaggingMember[] holding = [.. node.Stack.FindLagging(node.Now).Where(static lag => lag.HoldsUp)];
            bool isSender = Senders.Contains(node.Index);
            if (holding.Length > 1 || (isSender && holding.Length == 0)) Assert.Fail(Describe(cluster));
            // Who sends nothing hears of it by the next token, which may be waiting for that member.
            if (holding.Length == 0) continue;
            LaggingMember named = holding[0];
            Assert.Equal((cluster.On(Slow).Stack.Cluster.Self!.Number, cause), (named.Member.Number, named.Cause));
            // While the token waits for a silent member, nobody knows yet how much it will lack.
            if (cause != LagCause.Silent) Assert.True(named.Packets > 0);
            Assert.Equal(1, node.Stack.Rooms.Lags.HoldingUp);
        }
    }

    private static string Describe(SimulatedCluster cluster) => string.Join("; ", cluster.Nodes.Select(node =>
        $"{node.Index}: " + string.Join(
            ", ",
            node.Stack.FindLagging(node.Now)
                .Select(static lag => $"{lag.Member.Name} {lag.Cause} {lag.HoldsUp}"))));

    private static void ExpectForgotten(SimulatedCluster cluster)
    {
        cluster.Settle(Tick * 20);
        cluster.RunFor(Tick * 5);
        foreach (SimulatedNode node in cluster.Nodes) Assert.Empty(node.Stack.FindLagging(node.Now));
        cluster.Shutdown();
    }
}
