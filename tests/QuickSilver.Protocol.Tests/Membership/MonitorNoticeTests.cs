using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Membership.MembershipWorldSteps;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Nodes hear when the first monitor comes and when the last goes, whatever becomes of servers, connections
/// and older builds.</summary>
public sealed class MonitorNoticeTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly MembershipWorld _world = new();

    [Fact]
    public void AllHearOfTheFirstMonitorAndOfTheEndOfTheLast()
    {
        WorldNode[] nodes = Start(4);
        Monitor(nodes[0]);
        Assert.All(nodes, node => Assert.Equal([true], node.Monitored));
        Monitor(nodes[1]);
        nodes[0].Leave(StatisticsGroup.Name);
        _world.Run(Second);
        Assert.All(nodes, node => Assert.Equal([true], node.Monitored));
        nodes[1].Leave(StatisticsGroup.Name);
        _world.Run(Second);
        Assert.All(nodes, node => Assert.Equal([true, false], node.Monitored));
        Monitor(nodes[2]);
        Assert.All(nodes, node => Assert.Equal([true, false, true], node.Monitored));
        _world.CheckQuiet();
    }

    [Fact]
    public void WhileNobodyMonitorsNoFrameSaysSo()
    {
        WorldNode[] nodes = Start(3);
        var kinds = new HashSet<FrameKind>();
        _world.OnFrameToNode = (_, frame) =>
        {
            kinds.Add((FrameKind)frame[0]);
            return frame;
        };
        nodes[0].Leave("g");
        nodes[1].Agent.RequestPublish(["other"], static _ => GroupModes.Reliable, _world.Now);
        _world.Add("late").Join("g");
        _world.Run(10 * Second);
        Assert.Contains(FrameKind.Step, kinds);
        Assert.DoesNotContain(FrameKind.Monitored, kinds);
        Assert.All(_world.Nodes, static node => Assert.Empty(node.Monitored));
    }

    [Fact]
    public void ANodeThatComesLaterHearsOfIt()
    {
        Monitor(Start(2)[0]);
        WorldNode late = _world.Add("late");
        _world.Run(Second);
        Assert.Equal([true], late.Monitored);
    }

    [Fact]
    public void TheEndOfAMonitorThatDiesIsHeard()
    {
        WorldNode[] nodes = Start(3);
        Monitor(nodes[0]);
        nodes[0].Crash();
        _world.Run(20 * Second);
        Assert.All(nodes[1..], node => Assert.Equal([true, false], node.Monitored));
    }

    [Fact]
    public void WordThatIsLostWithAConnectionIsSaidAgain()
    {
        WorldNode[] nodes = Start(3);
        _world.Break(nodes[2]);
        Monitor(nodes[0]);
        Assert.Empty(nodes[2].Monitored);
        _world.Connect(nodes[2]);
        _world.Run(Second);
        Assert.Equal([true], nodes[2].Monitored);
    }

    [Fact]
    public void AnotherServerKnowsOfTheMonitorsThatItTakesOver()
    {
        WorldNode[] nodes = Start(4);
        Monitor(nodes[0]);
        Publish(nodes);
        _world.ReplaceServer();
        _world.Connect(nodes);
        _world.Run(5 * Second);
        AssertUndisturbed(nodes);
        Assert.All(nodes, static node => Assert.DoesNotContain(false, node.Monitored));
        WorldNode late = _world.Add("late");
        _world.Run(Second);
        Assert.Equal([true], late.Monitored);
        nodes[0].Leave(StatisticsGroup.Name);
        _world.Run(Second);
        Assert.All([.. nodes, late], static node => Assert.False(node.Monitored[^1]));
    }

    [Fact]
    public void WhoPublishesIsToldToCeaseWhenTheMonitorIsLostWithTheServer()
    {
        WorldNode[] nodes = Start(4);
        Monitor(nodes[0]);
        Publish(nodes);
        _world.ReplaceServer();
        nodes[0].Crash();
        _world.Connect(nodes[1..]);
        _world.Run(30 * Second);
        Assert.All(nodes[1..], static node => Assert.False(node.Monitored[^1]));
    }

    /// <summary>Servers go at any moment of the word's way, and of what nodes do for it.</summary>
    [Fact]
    public void NodesPublishWhileThereIsAMonitorWhicheverServersGo()
    {
        for (ulong seed = 1; seed <= 200; seed++) Run(seed);

        static void Run(ulong seed)
        {
            var world = new MembershipWorld(seed) { MaxDelay = TimeSpan.FromMilliseconds(20) };
            WorldNode[] nodes = world.Found(3);
            foreach (WorldNode node in nodes) node.PublishesStatistics = true;
            nodes[0].Join(StatisticsGroup.Name);
            Replace(world, nodes);
            Assert.All(nodes, node => Assert.True(node.Monitored is [.., true], $"seed {seed}: {node.Name}"));
            Assert.All(nodes, node => Assert.True(Publishes(node), $"seed {seed}: {node.Name}"));
            nodes[0].Leave(StatisticsGroup.Name);
            Replace(world, nodes);
            Assert.All(nodes, node => Assert.False(Publishes(node), $"seed {seed}: {node.Name}"));
            AssertUndisturbedButFor(StatisticsGroup.Name, nodes);
        }

        static void Replace(MembershipWorld world, WorldNode[] nodes)
        {
            world.Run(world.Random.NextBelow(TimeSpan.FromMilliseconds(200)));
            world.ReplaceServer();
            world.Connect(nodes);
            world.Run(10 * Second);
        }
    }

    [Fact]
    public void AnOlderNodeIsToldNothing()
    {
        WorldNode[] nodes = Start(2);
        WorldNode older = _world.Add(new AgentSettings(
            "default",
            "older",
            1,
            new NetEndpoint(0x0A000001, 1100),
            new NetEndpoint(0x0A000001, 21_100),
            1 << 20,
            true,
            Second)
        {
            TakesMonitored = false,
        });
        _world.Run(Second);
        Monitor(nodes[0]);
        nodes[0].Leave(StatisticsGroup.Name);
        _world.Run(Second);
        Assert.True(older.IsLive);
        Assert.Empty(older.Monitored);
        Assert.Equal([true, false], nodes[1].Monitored);
    }

    [Theory]
    [InlineData(new byte[] { (byte)FrameKind.Monitored })]
    [InlineData(new byte[] { (byte)FrameKind.Monitored, 2 })]
    [InlineData(new byte[] { (byte)FrameKind.Monitored, 1, 0 })]
    public void AMalformedWordEndsTheSession(byte[] forged)
    {
        WorldNode[] nodes = Start(2);
        _world.OnFrameToNode = (node, frame) =>
            node == nodes[1] && frame[0] == (byte)FrameKind.Monitored ? forged : frame;
        Monitor(nodes[0]);
        Assert.Equal(MembershipRefusal.BadFrame, nodes[1].Expelled);
    }

    [Fact]
    public void OtherReservedNamesAreRefused()
    {
        WorldNode[] nodes = Start(1);
        nodes[0].Agent.RequestJoin(["$other", "$statistics2", "$"], static _ => 0, _world.Now);
        _world.Run(Second);
        Assert.Equal(3, nodes[0].Refused.Count);
        Assert.All(nodes[0].Refused, static one => Assert.Equal(MembershipRefusal.BadGroupName, one.Reason));
    }

    private static bool Publishes(WorldNode node) => node.Agent.Cluster.Layout.Published.Counters.Length > 0;

    private static void AssertUndisturbedButFor(string group, WorldNode[] nodes) => Assert.All(nodes, node =>
    {
        Assert.True(node.IsLive, $"{node.Name} is out: {node.Expelled}");
        Assert.DoesNotContain(node.Steps, step => step.Left.Any(left => left.Name != group));
    });

    private WorldNode[] Start(int count)
    {
        WorldNode[] nodes = _world.AddMany(count);
        foreach (WorldNode node in nodes) node.Join("g");
        _world.Run(Second);
        return nodes;
    }

    private void Monitor(WorldNode node)
    {
        node.Join(StatisticsGroup.Name);
        _world.Run(Second);
    }

    private void Publish(WorldNode[] nodes)
    {
        foreach (WorldNode node in nodes)
            node.Agent.RequestPublish([StatisticsGroup.Name], static _ => GroupModes.Reliable, _world.Now);
        _world.Run(Second);
    }
}
