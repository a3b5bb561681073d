using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>
/// A rack restarts, the membership host in it, and a few nodes elsewhere survive. They come to the new server within
/// the pause between two attempts. The server waits that long before it founds a cluster, so it takes them over, and
/// they lose nothing.
/// </summary>
public sealed class LoneSurvivorTests
{
    private const int Count = 24;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(4);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void SurvivorsAreTakenOverByTheRestartedHost(int survivors) =>
        Seeds.ForEach(Seeds.Range(1, Count), seed => Run(seed, survivors));

    private static void Run(ulong seed, int survivors)
    {
        const int nodes = 6;
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Restarts = 2 * nodes,
            ReconnectPause = ReconnectPace.Longest,
            Membership = new MembershipServerSettings
            {
                FailureTimeout = Patience,
                FoundingGrace = ReconnectPace.HostFoundingGrace,
                AwaitMajority = true,
            },
            ReplayHint = Seeds.Replay(seed, nameof(SurvivorsAreTakenOverByTheRestartedHost)),
        });
        cluster.Revived = node => node.Join("all");
        cluster.JoinAll("all");
        TimeSpan at = cluster.Elapsed + TimeSpan.FromSeconds(1);
        TimeSpan down = TimeSpan.FromMilliseconds(40 + (seed * 57));
        for (int node = 0; node < nodes - survivors; node++) cluster.Inject(new NodeRestart(at, down, node));
        cluster.Inject(new ServerOutage(at, down));
        SimulatedNode[] living = [.. cluster.Nodes.Skip(nodes - survivors)];
        foreach (SimulatedNode node in living)
            cluster.Start(new SendPlan(node.Index, "all", 300, TimeSpan.FromMilliseconds(10)));

        cluster.RunFor(down + TimeSpan.FromSeconds(1) + Patience);

        foreach (SimulatedNode node in living)
        {
            Assert.True(node.IsAlive, $"{node} is {node.Expulsion}");
            int members = node.Stack.Cluster.ViewsOf(node.FindGroup("all")!.Id).Sum(static view => view.Members.Length);
            Assert.Equal(nodes, members);
        }
        cluster.Settle(TimeSpan.FromSeconds(20));
        Assert.Equal(nodes, cluster.Nodes.Count(static node => node.IsAlive));
        Assert.Equal((ulong)survivors, cluster.Marks.GetValueOrDefault("a server takes over a node of another server"));
        cluster.Shutdown();
    }
}
