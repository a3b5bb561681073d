using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Ways by which short control passes and no packet does: the node at fault goes, and the others go
/// on.</summary>
public class BlockedPathTests
{
    // Tokens and acknowledgements of one stream are shorter; the shortest filler has 504 bytes.
    private const int Passes = 300;

    private static readonly TimeSpan Forever = Timeout.InfiniteTimeSpan;

    /// <summary>Nodes, the direction that is blocked, who goes, and whether members ask for packets
    /// themselves.</summary>
    public static TheoryData<int, int?, int?, int, bool> Ways => new()
    {
        { 4, null, 2, 2, true }, { 4, null, 2, 2, false }, { 4, 0, null, 0, true }, { 4, 0, null, 0, false },
        { 3, null, 1, 1, true }, { 3, 0, null, 0, true }, { 2, 0, 1, 1, true }, { 7, null, 5, 5, true },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public void TheNodeAtFaultIsRemovedWithItsReason(int nodes, int? from, int? to, int gone, bool eagerPull)
    {
        SimulatedCluster cluster = Make(nodes, eagerPull);
        cluster.Inject(new LengthLimit(TimeSpan.FromSeconds(1), Forever, from, to, Passes));
        cluster.JoinAll("group");
        cluster.Start(Plan(0, 40));
        cluster.Start(Plan(1, 40));
        cluster.RunFor(TimeSpan.FromSeconds(25));
        foreach (SimulatedNode node in cluster.Nodes)
        {
            Assert.Equal(
                node.Index == gone ? MembershipRefusal.PacketsBlocked : MembershipRefusal.None, node.Expulsion);
        }
        cluster.Settle(TimeSpan.FromSeconds(10));
        cluster.Shutdown();
    }

    // The way of one pair alone: peers repair what is missing.
    [Fact]
    public void NobodyGoesForOneWayAmongMany()
    {
        SimulatedCluster cluster = Make(4, eagerPull: true);
        cluster.Inject(new LengthLimit(TimeSpan.FromSeconds(1), Forever, 0, 2, Passes));
        cluster.JoinAll("group");
        cluster.Start(Plan(0, 200));
        cluster.RunFor(TimeSpan.FromSeconds(25));
        Assert.All(cluster.Nodes, static node => Assert.True(node.IsMember));
        cluster.Settle(TimeSpan.FromSeconds(10));
        cluster.Shutdown();
    }

    // Shorter than two detector periods: everything is delivered afterwards, and nobody has gone.
    [Fact]
    public void NobodyGoesForATroubleThatPasses()
    {
        SimulatedCluster cluster = Make(4, eagerPull: true);
        cluster.Inject(new LengthLimit(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), null, 2, Passes));
        cluster.JoinAll("group");
        cluster.Start(Plan(0, 200));
        cluster.RunFor(TimeSpan.FromSeconds(25));
        cluster.Settle(TimeSpan.FromSeconds(10));
        Assert.All(cluster.Nodes, static node => Assert.True(node.IsMember));
        cluster.Shutdown();
    }

    // As under overload: all fillers are lost, and packets come now and then.
    [Fact]
    public void NobodyGoesWhilePacketsComeNowAndThen()
    {
        SimulatedCluster cluster = Make(2, eagerPull: true);
        Lose(DatagramKind.PathFiller, 1, 24);
        Lose(DatagramKind.Data, 1, 24);
        for (int at = 1; at < 25; at += 2) Lose(DatagramKind.Repair, at, 1.8);
        cluster.JoinAll("group");
        cluster.Start(Plan(0, 220));
        cluster.RunFor(TimeSpan.FromSeconds(26));
        Assert.All(cluster.Nodes, static node => Assert.True(node.IsMember, $"{node.Expulsion}"));
        cluster.Settle(TimeSpan.FromSeconds(10));
        cluster.Shutdown();

        void Lose(DatagramKind kind, double at, double seconds) => cluster.Inject(new KindLoss(
            TimeSpan.FromSeconds(at), TimeSpan.FromSeconds(seconds), kind, int.MaxValue, 0, 1));
    }

    private static SendPlan Plan(int sender, int messages) =>
        new(sender, "group", messages, TimeSpan.FromMilliseconds(100)) { MinBytes = 800, MaxBytes = 800 };

    private static SimulatedCluster Make(int nodes, bool eagerPull) => new(new SimulationOptions
    {
        Nodes = nodes,
        Seed = (ulong)nodes,
        Node = new Protocol.Stack.NodeSettings { Recovery = new() { EagerPull = eagerPull } },
        Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromSeconds(3) },
    });
}
