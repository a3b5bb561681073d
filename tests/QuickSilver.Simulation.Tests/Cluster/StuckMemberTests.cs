using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Members whose channel to the server stands, and that no datagrams reach, or leave, for good: the others
/// must not wait for ever.</summary>
public sealed class StuckMemberTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(6, 2)]
    [InlineData(3, 5)]
    [InlineData(2, 5)]
    public void DeafMemberIsRemovedAndTheOthersGoOn(int nodes, int replication)
    {
        for (ulong seed = 1; seed <= 4; seed++)
        {
            int stuck = (int)(seed % (ulong)nodes);
            SimulatedCluster cluster = Make(nodes, replication, seed, nameof(DeafMemberIsRemovedAndTheOthersGoOn));
            cluster.Inject(new DeafNode(cluster.Elapsed + Second, Timeout.InfiniteTimeSpan, stuck));
            Check(cluster, stuck, seed, isCertain: nodes > 2);
        }
    }

    [Theory]
    [InlineData(6, 2)]
    [InlineData(3, 5)]
    public void MuteMemberIsRemovedAndTheOthersGoOn(int nodes, int replication)
    {
        for (ulong seed = 1; seed <= 4; seed++)
        {
            int stuck = (int)(seed % (ulong)nodes);
            SimulatedCluster cluster = Make(nodes, replication, seed, nameof(MuteMemberIsRemovedAndTheOthersGoOn));
            cluster.Inject(new MuteNode(cluster.Elapsed + Second, Timeout.InfiniteTimeSpan, stuck));
            Check(cluster, stuck, seed, isCertain: true);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void OneBrokenLinkBetweenTwoCostsAtMostOneOfThem(bool bothWays)
    {
        for (ulong seed = 1; seed <= 6; seed++)
        {
            SimulatedCluster cluster = Make(5, 2, seed, nameof(OneBrokenLinkBetweenTwoCostsAtMostOneOfThem));
            cluster.Inject(new LinkCut(cluster.Elapsed + Second, Timeout.InfiniteTimeSpan, 1, 2));
            if (bothWays) cluster.Inject(new LinkCut(cluster.Elapsed + Second, Timeout.InfiniteTimeSpan, 2, 1));
            cluster.RunFor(40 * Second);
            cluster.Settle(60 * Second);
            Assert.All(
                cluster.Nodes,
                node => Assert.True(node.IsAlive || node.Index is 1 or 2, $"seed {seed}: {node} {node.Expulsion}"));
            Assert.True(cluster.Nodes.Count(node => node.IsAlive) >= 4, $"seed {seed}");
            cluster.Shutdown();
        }
    }

    [Fact]
    public void MemberThatIsSlowOrAwayForLessThanThePeriodStays()
    {
        for (ulong seed = 1; seed <= 4; seed++)
        {
            SimulatedCluster cluster = Make(5, 2, seed, nameof(MemberThatIsSlowOrAwayForLessThanThePeriodStays));
            for (int time = 0; time < 5; time++)
            {
                cluster.Inject(new DeafNode(cluster.Elapsed + (((5 * time) + 1) * Second), 3.5 * Second, time));
                cluster.Inject(
                    new NodeFreeze(cluster.Elapsed + (((5 * time) + 3) * Second), 3 * Second, (time + 2) % 5));
            }
            cluster.RunFor(35 * Second);
            cluster.Settle(30 * Second);
            Assert.All(cluster.Nodes, node => Assert.True(node.IsAlive, $"seed {seed}: {node} {node.Expulsion}"));
            cluster.Shutdown();
        }
    }

    private static SimulatedCluster Make(int nodes, int replication, ulong seed, string test)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Membership = new MembershipServerSettings { Replication = replication, FailureTimeout = 5 * Second },
            ReplayHint = Seeds.Replay(seed, test),
        });
        cluster.JoinAll("g");
        foreach (SimulatedNode node in cluster.Nodes)
            cluster.Start(new SendPlan(node.Index, "g", 1000, TimeSpan.FromMilliseconds(20)));
        return cluster;
    }

    private static void Check(SimulatedCluster cluster, int stuck, ulong seed, bool isCertain)
    {
        cluster.RunFor(25 * Second);
        SimulatedNode[] gone = [.. cluster.Nodes.Where(node => !node.IsAlive)];
        SimulatedNode expelled = Assert.Single(gone);
        if (isCertain)
            Assert.True(
                expelled.Index == stuck, $"seed {seed}: {expelled} {expelled.Expulsion}, and {stuck} was stuck");
        Assert.Equal(MembershipRefusal.Unreachable, expelled.Expulsion);
        cluster.Settle(30 * Second);
        cluster.Shutdown();
    }
}
