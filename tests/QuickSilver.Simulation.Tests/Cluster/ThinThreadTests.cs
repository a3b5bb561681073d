using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Stack;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

public class ThinThreadTests
{
    private static readonly TimeSpan Bound = TimeSpan.FromSeconds(10);

    [Fact]
    public void ASingleNodeDeliversToItself()
    {
        SimulatedCluster cluster = Run(nodes: 1, messages: 10);
        Assert.Equal(10UL, cluster.MessagesDelivered);
        Assert.Equal(0UL, cluster.MessageTransmissions);
    }

    [Fact]
    public void TwoNodesExchangeOneMessage()
    {
        SimulatedCluster cluster = Run(nodes: 2, messages: 1);
        Assert.Equal(2UL, cluster.MessagesDelivered);
        Assert.Equal(1UL, cluster.MessageTransmissions);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    [InlineData(9)]
    [InlineData(10)]
    [InlineData(25)]
    public void EveryMemberDeliversEveryMessage(int nodes)
    {
        SimulatedCluster cluster = Run(nodes, messages: 100);
        Assert.Equal(100UL * (ulong)nodes, cluster.MessagesDelivered);
        Assert.Equal(100UL, cluster.MessageTransmissions);
    }

    [Fact]
    public void UnicastFanOutReachesEveryMember()
    {
        SimulatedCluster cluster = Run(nodes: 5, messages: 100, new NetworkModel { Multicast = false });
        Assert.Equal(500UL, cluster.MessagesDelivered);
    }

    [Theory]
    [InlineData(0.01)]
    [InlineData(0.05)]
    [InlineData(0.2)]
    public void LossIsRepaired(double loss)
    {
        SimulatedCluster cluster = Run(
            nodes: 5, messages: 200, new NetworkModel { Link = new LinkModel { Loss = loss } });
        Assert.Equal(1000UL, cluster.MessagesDelivered);
        Assert.True(cluster.NetworkCounters.Lost > 0, "nothing was lost");
    }

    [Fact]
    public void LargeMessagesTravelInFragments()
    {
        SimulatedCluster cluster = Make(3, new NetworkModel { Link = new LinkModel { Loss = 0.02 } });
        cluster.JoinAll("group");
        cluster.Start(
            new SendPlan(0, "group", 20, TimeSpan.FromMilliseconds(1)) { MinBytes = 10_000, MaxBytes = 200_000 });
        Finish(cluster);
        Assert.Equal(60UL, cluster.MessagesDelivered);
    }

    [Fact]
    public void SeveralSendersToOneGroupAreEachInOrder()
    {
        SimulatedCluster cluster = Make(
            4, new NetworkModel { Link = new LinkModel { Loss = 0.05, Reordering = 0.1, Duplication = 0.05 } });
        cluster.JoinAll("group");
        for (int node = 0; node < 4; node++)
            cluster.Start(new SendPlan(node, "group", 50, TimeSpan.FromMicroseconds(300)));
        Finish(cluster);
        Assert.All(cluster.Nodes, node => Assert.Equal(SimulatedNodeState.Stopped, node.State));
        Assert.Equal(800UL, cluster.MessagesDelivered);
    }

    [Fact]
    public void PulledMessagesAreDeliveredLikeSentOnes()
    {
        SimulatedCluster cluster = Make(3);
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", 100, TimeSpan.Zero) { Pulled = true });
        cluster.RunFor(TimeSpan.FromSeconds(1));
        Finish(cluster);
        Assert.Equal(300UL, cluster.MessagesDelivered);
    }

    [Fact]
    public void StagedMessagesKeepTheirOrderWithAdmittedOnesAmongThem()
    {
        SimulatedCluster cluster = Make(3);
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", 100, TimeSpan.Zero) { Staged = true, MinBytes = 0, MaxBytes = 4_000 });
        for (int burst = 0; burst < 10; burst++)
            cluster.Start(
                new SendPlan(
                    1, "group", 30, TimeSpan.Zero)
                { Staged = true, Start = TimeSpan.FromMilliseconds(10 * burst) });
        cluster.RunFor(TimeSpan.FromSeconds(1));
        Finish(cluster);
        Assert.Equal(1_200UL, cluster.MessagesDelivered);
        Assert.True(cluster.Marks.GetValueOrDefault("sources write a batch of messages into a packet") > 0);
    }

    [Fact]
    public void StagedMessagesOfGroupsInTurnAreTakenTogether()
    {
        var slow = new DisseminationSettings { Rate = new RateSettings { Initial = 200, Fixed = true } };
        for (ulong seed = 102_000_001; seed <= 102_000_010; seed++)
        {
            var cluster = new SimulatedCluster(new SimulationOptions
            {
                Nodes = 3,
                Seed = seed,
                Node = new NodeSettings { Dissemination = slow },
            });
            string[] groups = ["a", "b", "c", "d"];
            cluster.JoinAll(groups);
            foreach (string group in groups)
                cluster.Start(new SendPlan(2, group, 400, TimeSpan.FromMicroseconds(100))
                {
                    Staged = true,
                    MinBytes = 20,
                    MaxBytes = 100,
                    Alike = 50,
                });
            cluster.RunFor(TimeSpan.FromSeconds(1));
            Finish(cluster);
            Assert.Equal(4_800UL, cluster.MessagesDelivered);
            Assert.True(cluster.Marks.GetValueOrDefault(NodeApplication.GatheredMark) > 100);
            Assert.True(cluster.Marks.GetValueOrDefault("sources write a batch of messages into a packet") > 10);
        }
    }

    [Fact]
    public void AMessageToAGroupOfTwoRegionsIsSentOnceToEach()
    {
        SimulatedCluster cluster = Make(6);
        var joins = new List<SimulatedJoin>();
        for (int node = 0; node < 6; node++)
            joins.Add(node < 3 ? cluster.Nodes[node].Join("all", "left") : cluster.Nodes[node].Join("all", "right"));
        cluster.Await([.. joins]);
        cluster.Start(new SendPlan(0, "all", 10, TimeSpan.FromMilliseconds(1)));
        cluster.Start(new SendPlan(0, "left", 10, TimeSpan.FromMilliseconds(1)));
        Finish(cluster);
        Assert.Equal(60UL + 30UL, cluster.MessagesDelivered);
        Assert.Equal(20UL + 10UL, cluster.MessageTransmissions);
    }

    [Fact]
    public void AnIdleClusterFallsSilent()
    {
        Scenario scenario = new()
        {
            Options = new SimulationOptions { Nodes = 10 },
            Groups = [.. Enumerable.Repeat(new[] { "group" }, 10)],
            Plans = [new SendPlan(0, "group", 10, TimeSpan.FromMilliseconds(1))],
        };
        SimulatedCluster cluster = scenario.Run();
        Assert.Equal(100UL, cluster.MessagesDelivered);
    }

    [Fact]
    public void ANodeThatJoinsLaterReceivesWhatIsSentAfterItsJoin()
    {
        SimulatedCluster cluster = Make(4);
        cluster.Await(cluster.Nodes[0].Join("group"), cluster.Nodes[1].Join("group"), cluster.Nodes[2].Join("group"));
        cluster.Start(new SendPlan(0, "group", 500, TimeSpan.FromMilliseconds(1)));
        cluster.RunFor(TimeSpan.FromMilliseconds(100));
        cluster.Await(cluster.Nodes[3].Join("group"));
        Finish(cluster);
        Assert.InRange(cluster.MessagesDelivered, 1500UL, 2000UL);
    }

    [Fact]
    public void ANodeThatLeavesReceivesNoMore()
    {
        SimulatedCluster cluster = Make(3);
        cluster.JoinAll("group", "other");
        cluster.Start(new SendPlan(0, "group", 300, TimeSpan.FromMilliseconds(1)));
        cluster.RunFor(TimeSpan.FromMilliseconds(100));
        SimulatedLeave leave = cluster.Nodes[2].Leave("group");
        Assert.True(cluster.RunUntil(() => leave.IsCompleted, Bound));
        Finish(cluster);
        Assert.InRange(cluster.MessagesDelivered, 600UL, 899UL);
    }

    private static SimulatedCluster Make(int nodes, NetworkModel? network = null) =>
        new(new SimulationOptions { Nodes = nodes, Network = network ?? new NetworkModel() });

    private static SimulatedCluster Run(int nodes, int messages, NetworkModel? network = null)
    {
        SimulatedCluster cluster = Make(nodes, network);
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", messages, TimeSpan.FromMilliseconds(1)));
        Finish(cluster);
        return cluster;
    }

    private static void Finish(SimulatedCluster cluster)
    {
        cluster.Settle(Bound);
        cluster.Shutdown();
    }
}
