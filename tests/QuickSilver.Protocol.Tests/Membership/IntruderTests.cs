using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Membership.MembershipWorldSteps;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>What somebody who reaches the server's port, and knows what every member knows, can do to nodes: nothing,
/// by itself.</summary>
public sealed class IntruderTests
{
    private static readonly NetEndpoint OwnPlace = new(0x05000005, 5_000);
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void SessionIsResumedOnlyWithTheSecretOfItsWelcome()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        Intruder intruder = world.Intrude();
        foreach (ulong received in Enumerable.Range(0, 20).Select(static count => (ulong)count))
            intruder.Hello(HelloOf(nodes[0]) with { Received = received });
        intruder.Send(frame => frame.Begin(FrameKind.Goodbye));
        world.Run(Second);
        AssertUndisturbed(nodes);
        Assert.Equal(3, world.Server.Statistics.Nodes);
        Assert.DoesNotContain(true, nodes[0].Connections);
        Assert.All(
            intruder.Answers,
            answer => Assert.Equal([(byte)FrameKind.Expelled, (byte)MembershipRefusal.Unproven], answer));
        Assert.NotEqual(0UL, world.Server.CountOf(MembershipRefusal.Unproven));
    }

    [Fact]
    public void NodeThatReturnsBringsItsSecret()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        for (int times = 0; times < 3; times++)
        {
            world.Break(nodes[0]);
            world.Run(Second / 2);
            world.Connect(nodes[0]);
            world.Run(Second / 2);
        }
        AssertUndisturbed(nodes);
        Assert.Equal(3, nodes[0].Connections.Count(static up => up));
        Assert.Equal(0UL, world.Server.CountOf(MembershipRefusal.Unproven));
    }

    /// <summary>The new server has given nobody a secret yet; but who came first under a number is the one that returns
    /// under it.</summary>
    [Fact]
    public void NodeThatWasTakenOverIsNotTakenTwice()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        HelloFrame old = HelloOf(nodes[0]);
        world.ReplaceServer();
        world.Connect(nodes);
        world.Run(Second / 5);
        Intruder intruder = world.Intrude();
        intruder.Hello(old);
        world.Run(3 * Second);
        AssertUndisturbed(nodes);
        Assert.Equal([(byte)FrameKind.Expelled, (byte)MembershipRefusal.Unproven], Assert.Single(intruder.Answers));
        world.CheckQuiet();
    }

    [Fact]
    public void NobodyTakesThePlaceOfANodeWhoseConnectionStands()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        Intruder intruder = world.Intrude();
        intruder.Hello(HelloOf(nodes[1]) with { Number = default, Incarnation = 99 });
        world.Run(5 * Second);
        AssertUndisturbed(nodes);
        Assert.Equal([(byte)FrameKind.Expelled, (byte)MembershipRefusal.Replaced], Assert.Single(intruder.Answers));
        world.CheckQuiet();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void RestartedProcessTakesThePlaceOfItsFormerLifeWhenThatIsSilent(bool isBroken)
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        nodes[1].IsMute = true;
        if (isBroken) world.Break(nodes[1]);
        world.Run(Second / 10);
        WorldNode again = world.Add("again", incarnation: 2, port: 1001);
        again.Join("g");
        if (!isBroken) world.Run(2 * Second);
        world.Run(Second / 2);
        Assert.Contains("g", again.Groups.Keys);
        Assert.Equal([nodes[1].Name], nodes[0].Removed.Select(static node => node.Name));
        nodes[1].Crash();
        world.CheckQuiet();
    }

    /// <summary>As it was found: a connection to a server that has taken over some seconds ago, one registration and
    /// one report.</summary>
    [Theory]
    [InlineData(0.2)]
    [InlineData(6.0)]
    [InlineData(60.0)]
    public void ReportRemovesNobodyWhoIsConnected(double after)
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer();
        world.Connect(nodes);
        HelloFrame forged = HelloOf(
            nodes[0]) with
        { Number = new NodeNumber(new Epoch(1, 7), 77), Session = new Epoch(1, 7) };
        forged = forged with { Control = OwnPlace, Data = OwnPlace };
        world.Run(after * Second);
        Intruder intruder = world.Intrude();
        intruder.Hello(forged);
        intruder.Report(nodes[0].GroupEpoch, [], [.. nodes.Select(static node => node.Agent.Cluster.Self!.Number.Key)]);
        world.Run(20 * Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
        Assert.Equal(3, world.Server.Statistics.Nodes);
    }

    /// <summary>The forged report comes before any survivor does.</summary>
    [Fact]
    public void ReportThatComesFirstKeepsNoSurvivorOut()
    {
        foreach (ulong instance in (ulong[])[0, 5])
        {
            var world = new MembershipWorld();
            WorldNode[] nodes = world.Found(3);
            HelloFrame forged = HelloOf(
                nodes[0]) with
            { Number = new NodeNumber(new Epoch(1, 7), 77), Control = OwnPlace, Data = OwnPlace };
            if (instance != 0) forged = forged with { Instance = instance };
            ulong[] keys = [.. nodes.Select(static node => node.Agent.Cluster.Self!.Number.Key)];
            world.ReplaceServer();
            Intruder intruder = world.Intrude();
            intruder.Hello(forged);
            intruder.Report(nodes[0].GroupEpoch, [], keys);
            world.Run(Second / 10);
            world.Connect(nodes);
            world.Run(20 * Second);
            AssertUndisturbed(nodes);
            world.CheckQuiet();
        }
    }

    [Fact]
    public void YoungClusterIsNotGivenUpForOneReport()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        Intruder intruder = world.Intrude();
        HelloFrame forged = HelloOf(
            nodes[0]) with
        { Number = new NodeNumber(new Epoch(1, 7), 77), Session = new Epoch(1, 7), Instance = 5 };
        intruder.Hello(forged with { Control = OwnPlace, Data = OwnPlace });
        intruder.Report(
            new Epoch(1, 7), Enumerable.Range(1, 100).Select(static counter => (1UL << 32) + (ulong)counter), []);
        world.Run(20 * Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
        Assert.Equal([(byte)FrameKind.Expelled, (byte)MembershipRefusal.OtherCluster], intruder.Answers[^1]);
    }

    /// <summary>A term near the end of its range would be the last one.</summary>
    [Fact]
    public void TermsCannotBeUsedUp()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        HelloFrame forged = HelloOf(
            nodes[0]) with
        { Number = new NodeNumber(new Epoch(1, 7), 77), Session = new Epoch(uint.MaxValue, 7) };
        world.ReplaceServer();
        Intruder intruder = world.Intrude();
        intruder.Hello(forged);
        intruder.Report(nodes[0].GroupEpoch, [], []);
        world.Connect(nodes);
        world.Run(15 * Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
        Assert.True(nodes[0].Agent.Cluster.Installed.Epoch.Term < 1 << 20);
    }

    private static HelloFrame HelloOf(WorldNode node)
    {
        NodeInfo self = node.Agent.Cluster.Self!;
        return new HelloFrame
        {
            ClusterName = "default",
            NodeName = "mallory",
            Incarnation = self.Incarnation,
            Control = self.Control,
            Data = self.Data,
            ReceiveBufferBytes = 1 << 20,
            Number = self.Number,
            Session = node.Agent.Cluster.Installed.Epoch,
            Instance = node.Instance,
        };
    }
}
