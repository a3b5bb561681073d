using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Ordered;

/// <summary>A member of the ring of ordered groups that lives for the membership server, and that the ring cannot do
/// with. No reliable group notices it: the ring itself tells the server, and goes on without one node.</summary>
public sealed class OrderedSilenceTests
{
    private const string Group = "ordered-state";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void OfTwoMembersThatDoNotHearEachOtherOneGoesAtMost() => Seeds.ForEach(Seeds.Range(1, 6), seed =>
    {
        SimulatedCluster cluster = Make(seed);
        TimeSpan soon = cluster.Elapsed + Second;
        int one = (int)(seed % 4);
        int next = (one + 1) % 4;
        cluster.Inject(new LinkCut(soon, Timeout.InfiniteTimeSpan, one, next));
        cluster.Inject(new LinkCut(soon, Timeout.InfiniteTimeSpan, next, one));
        RunWithout(cluster, least: 0, one, next);
    });

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public void ADeafOrMuteMemberGoesAndNobodyElse(bool isDeaf, bool isBetweenRings) =>
        Seeds.ForEach(Seeds.Range(1, 4), seed =>
        {
            SimulatedCluster cluster = Make(seed);
            TimeSpan soon = cluster.Elapsed + Second;
            int ill = (int)(seed % 4);
            cluster.Inject(isDeaf
                ? new DeafNode(soon, Timeout.InfiniteTimeSpan, ill)
                : new MuteNode(soon, Timeout.InfiniteTimeSpan, ill));
            // A change of the ring right after it, so that it is missed between two rings.
            if (isBetweenRings)
            {
                cluster.RunFor(Second);
                cluster.On((ill + 1) % 4).Crash();
            }
            RunWithout(cluster, least: 1, ill);
        });

    // Those that remain deliver all. Who are not neighbours in the ring may both stay: others repair.
    private static void RunWithout(SimulatedCluster cluster, int least, params int[] ill)
    {
        foreach (SimulatedNode node in cluster.Nodes)
        {
            if (node.IsAlive) cluster.Start(new SendPlan(node.Index, Group, 500, TimeSpan.FromMilliseconds(20)));
        }
        cluster.RunFor(40 * Second);
        cluster.Settle(10 * Second);
        SimulatedNode[] gone = [.. cluster.Nodes.Where(static node => node.Expulsion != MembershipRefusal.None)];
        Assert.InRange(gone.Length, least, 1);
        Assert.All(gone, node => Assert.Contains(node.Index, ill));
        cluster.Shutdown();
    }

    private static SimulatedCluster Make(ulong seed)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = seed,
            Membership = new MembershipServerSettings { FailureTimeout = 5 * Second },
            ReplayHint = Seeds.Replay(seed, nameof(OrderedSilenceTests)),
        });
        cluster.JoinAll(Group);
        return cluster;
    }
}
