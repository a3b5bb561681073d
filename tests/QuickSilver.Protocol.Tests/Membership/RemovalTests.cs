using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class RemovalTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void GoodbyeRemovesAtOnceAndIsAnnouncedAheadOfTheStep()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        NodeInfo gone = nodes[0].Agent.Cluster.Own!.Members[1];
        nodes[1].Goodbye();
        world.Run(Second / 10);
        Assert.Equal([gone], nodes[0].Removed);
        Assert.True(gone.IsRemoved);
        Assert.Equal([gone], nodes[0].Steps[^1].Removed);
        world.CheckQuiet();
        world.Run(Second);
        Assert.Null(nodes[0].Agent.Cluster.FindNode(gone.Number.Key));
        Assert.Equal(1UL, world.Server.Statistics.Removed);
    }

    [Fact]
    public void BrokenConnectionIsASuspicionUntilTheGraceIsOver()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.Break(nodes[1]);
        nodes[2].Crash();
        world.Run(Second);
        Assert.Empty(nodes[0].Removed);
        world.Connect(nodes[1]);
        world.Run(2 * Second);
        Assert.Equal(["n2"], nodes[0].Removed.Select(node => node.Name));
        Assert.Equal([false, true], nodes[1].Connections);
        Assert.True(nodes[1].IsLive);
        world.CheckQuiet();
    }

    [Fact]
    public void NodeThatComesBackHasMissedNothing()
    {
        for (ulong seed = 1; seed <= 20; seed++)
        {
            var world = new MembershipWorld(seed) { MaxDelay = TimeSpan.FromMilliseconds(20) };
            WorldNode[] nodes = world.AddMany(4);
            foreach (WorldNode node in nodes) node.Join("g");
            world.Run(Second / 100);
            for (int round = 0; round < 30; round++)
            {
                WorldNode node = nodes[(int)world.Random.NextBelow(4)];
                if (round % 3 == 0) node.Join($"g{round}");
                world.Run(world.Random.NextBelow(TimeSpan.FromMilliseconds(40)));
                world.Break(node);
                if (round % 3 == 1) node.Join($"g{round}");
                world.Run(world.Random.NextBelow(TimeSpan.FromMilliseconds(40)));
                world.Connect(node);
            }
            world.Run(5 * Second);
            Assert.All(nodes, node => Assert.True(node.IsLive, $"seed {seed}: {node.Name} {node.Expelled}"));
            Assert.All(nodes, node => Assert.NotEmpty(node.Settled));
            world.CheckQuiet();
            Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
        }
    }

    [Fact]
    public void SilentNodeIsRemovedAndToldSo()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        nodes[1].IsMute = true;
        world.Run(9 * Second);
        Assert.True(nodes[1].IsLive);
        world.Run(2 * Second);
        Assert.Equal(MembershipRefusal.Removed, nodes[1].Expelled);
        Assert.Equal(["n1"], nodes[0].Removed.Select(node => node.Name));
        world.CheckQuiet();
    }

    [Fact]
    public void ServerThatStoodStillBlamesNobody()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        world.Freeze(60 * Second);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void NobodyIsRemovedForWhatMayLieUnread()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.Server.OnRead(world.Now);
        nodes[1].IsMute = true;
        nodes[2].Crash();
        world.Run(60 * Second);
        Assert.Empty(nodes[0].Removed);
        world.Server.OnRead(world.Now);
        world.Run(Second);
        Assert.Equal(["n1", "n2"], nodes[0].Removed.Select(node => node.Name).Order());
        Assert.True(nodes[0].IsLive);
        world.CheckQuiet();
    }

    [Fact]
    public void DetectorThatIsOffRemovesNobodyForSilence()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        WorldNode a = world.Add("a");
        world.Run(Second);
        a.IsMute = true;
        world.Run(1000 * Second);
        Assert.True(a.IsLive);
        a.Crash();
        world.Run(3 * Second);
        Assert.Equal(0, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void RemovedNodeThatReconnectsIsToldSo()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        world.Run(Second);
        world.Break(a);
        world.Run(5 * Second);
        world.Connect(a);
        world.Run(Second);
        Assert.Equal(MembershipRefusal.Removed, a.Expelled);
    }

    [Fact]
    public void RestartIsANewNodeThatReplacesTheOld()
    {
        var world = new MembershipWorld();
        WorldNode other = world.Add("other");
        WorldNode old = world.Add("old", port: 77);
        other.Join("g");
        old.Join("g");
        world.Run(Second);
        NodeNumber number = old.Agent.Cluster.Self!.Number;
        world.Break(old);
        WorldNode restarted = world.Add("new", incarnation: 2, port: 77);
        restarted.Join("g");
        world.Run(Second);
        world.Connect(old);
        world.Run(Second);
        Assert.Equal(MembershipRefusal.Removed, old.Expelled);
        Assert.Equal([number], other.Removed.Select(node => node.Number));
        Assert.True(restarted.Agent.Cluster.Self!.Number > number);
        world.CheckQuiet();

        // The old life, and another process with the same incarnation, find no way in.
        WorldNode late = world.Add("late", incarnation: 1, port: 77);
        WorldNode twin = world.Add("twin", incarnation: 2, port: 77);
        world.Run(3 * Second);
        Assert.Equal(MembershipRefusal.Replaced, late.Expelled);
        Assert.Equal(MembershipRefusal.Replaced, twin.Expelled);
        Assert.True(restarted.IsLive);
    }

    [Fact]
    public void LostWelcomeIsSentAgain()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        a.Join("g");
        world.Run(TimeSpan.FromTicks(1));
        Assert.Null(a.Agent.Cluster.Self);
        for (int round = 0; round < 3; round++)
        {
            world.Break(a);
            world.Connect(a);
            world.Run(TimeSpan.FromMicroseconds(800));
        }
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal(1, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void RemovalCutsTheGatheringShort()
    {
        var settings = new MembershipServerSettings { BatchWindow = TimeSpan.FromSeconds(1) };
        var world = new MembershipWorld(1, settings) { MaxDelay = TimeSpan.FromMilliseconds(200) };
        WorldNode[] nodes = world.AddMany(4);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(3 * Second);
        Assert.Equal(4, nodes[0].Agent.Cluster.Own!.Members.Length);

        // A join, then, while that is being installed, another, which would gather for twice an install; the removal
        // takes it along at once.
        nodes[0].Join("a");
        world.Run(Second / 4);
        world.MaxDelay = TimeSpan.FromTicks(1);
        nodes[1].Join("b");
        world.Run(Second / 100);
        ulong before = world.Server.Statistics.Steps;
        nodes[3].Goodbye();
        world.Run(Second / 4);
        Assert.True(world.Server.Statistics.Steps > before);
        world.Run(Second);
        world.CheckQuiet();
    }
}
