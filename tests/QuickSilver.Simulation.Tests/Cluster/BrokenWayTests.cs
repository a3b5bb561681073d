using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Two members that do not hear each other, in a region where others hear both: the others bring what is
/// between the two, messages and the token, and nobody has to go.</summary>
public sealed class BrokenWayTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(3, 5)]
    [InlineData(5, 5)]
    [InlineData(6, 3, Explicit = true)]
    public void TwoMembersThatDoNotHearEachOtherAreBroughtTogetherByOthers(int nodes, int replication)
    {
        ulong seed = 0;
        for (int one = 0; one < nodes; one++)
        {
            for (int other = one + 1; other < nodes; other++)
            {
                SimulatedCluster cluster = Make(nodes, replication, ++seed);
                TimeSpan soon = cluster.Elapsed + (Second / 2);
                cluster.Inject(new LinkCut(soon, Timeout.InfiniteTimeSpan, one, other));
                cluster.Inject(new LinkCut(soon, Timeout.InfiniteTimeSpan, other, one));
                // Three detector periods and more.
                foreach (SimulatedNode node in cluster.Nodes)
                    cluster.Start(new SendPlan(node.Index, "g", 1000, TimeSpan.FromMilliseconds(20)));
                cluster.RunFor(20 * Second);
                cluster.Settle(5 * Second);
                Assert.All(
                    cluster.Nodes,
                    node => Assert.True(
                        node.IsAlive, $"seed {seed}, between {one} and {other}: {node} {node.Expulsion}"));
                cluster.Shutdown();
            }
        }
    }

    [Fact]
    public void AMessageReachesAMemberThatDoesNotHearItsSenderByAThird()
    {
        for (ulong seed = 1; seed <= 6; seed++)
        {
            SimulatedCluster cluster = Make(3, 5, seed);
            (int sender, int deaf) = ((int)(seed % 3), (int)((seed + 1 + (seed / 4)) % 3));
            cluster.Inject(new LinkCut(cluster.Elapsed, Timeout.InfiniteTimeSpan, sender, deaf));
            cluster.Inject(new LinkCut(cluster.Elapsed, Timeout.InfiniteTimeSpan, deaf, sender));
            cluster.RunFor(Second / 10);
            cluster.Start(new SendPlan(sender, "g", 1, TimeSpan.FromMilliseconds(1)));
            cluster.Settle(3 * Second);
            Assert.Single(cluster.On(deaf).FindGroup("g")!.Received);
            cluster.Shutdown();
        }
    }

    private static SimulatedCluster Make(int nodes, int replication, ulong seed)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Membership = new MembershipServerSettings { Replication = replication, FailureTimeout = 5 * Second },
            ReplayHint = Seeds.Replay(seed, nameof(BrokenWayTests)),
        });
        cluster.JoinAll("g");
        return cluster;
    }
}
