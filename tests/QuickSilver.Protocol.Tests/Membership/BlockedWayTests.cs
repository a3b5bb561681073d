using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Members say that no packet of other nodes arrives at them: who goes, and after how long. The period is 10
/// s.</summary>
public sealed class BlockedWayTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void AMemberThatReadsNothingOfTwoGoesAfterAPeriod()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        Block(nodes[3], nodes[0], nodes[1]);
        AssertGone(world, nodes, 3, from: 9, to: 13);
    }

    [Fact]
    public void ANodeOfWhichNothingArrivesAtTwoGoesAfterAPeriod()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        Block(nodes[1], nodes[0]);
        Block(nodes[2], nodes[0]);
        AssertGone(world, nodes, 0, from: 9, to: 13);
    }

    [Fact]
    public void OneMembersWordHarmsOnlyTheMemberItself()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        Block(nodes[2], nodes[0]);
        AssertGone(world, nodes, 2, from: 19, to: 24);
    }

    [Fact]
    public void OfAllThatAreNamedTheOneWithTheMostWaysGoesAlone()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(5);
        // Node 4 reads nothing. Node 3 has missed a packet of node 0 besides.
        Block(nodes[4], nodes[0], nodes[1], nodes[2]);
        nodes[3].Observing = (observed, now) =>
        {
            if (nodes[4].IsLive) Add(observed, nodes[0], now);
        };
        AssertGone(world, nodes, 4, from: 9, to: 13);
    }

    [Fact]
    public void AGapInTheReportsBeginsTheTimeAgain()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        int reports = 0;
        nodes[2].Observing = (observed, now) =>
        {
            if (reports++ % 8 == 0) return;
            Add(observed, nodes[0], now);
            Add(observed, nodes[1], now);
        };
        world.Run(60 * Second);
        Assert.All(nodes, static node => Assert.True(node.IsLive));
    }

    private static void AssertGone(MembershipWorld world, WorldNode[] nodes, int gone, int from, int to)
    {
        world.Run(from * Second);
        Assert.All(nodes, static node => Assert.True(node.IsLive));
        world.Run((to - from) * Second);
        Assert.Equal(MembershipRefusal.PacketsBlocked, nodes[gone].Expelled);
        foreach (WorldNode node in nodes) node.Observing = null;
        world.Run(30 * Second);
        Assert.Equal(nodes.Length - 1, world.Server.Statistics.Nodes);
    }

    private static void Block(WorldNode member, params WorldNode[] from) => member.Observing = (observed, now) =>
    {
        foreach (WorldNode node in from) Add(observed, node, now);
    };

    private static void Add(NodeObservations observed, WorldNode from, Instant now) =>
        observed.Blocked.Add(new BlockedPath(from.Agent.Cluster.Self!.Number.Key, now - Instant.Zero));
}
