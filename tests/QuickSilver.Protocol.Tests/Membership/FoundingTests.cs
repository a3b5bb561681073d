using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using static QuickSilver.Protocol.Tests.Membership.MembershipWorldSteps;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>A newcomer that comes to an empty server before the survivors of a lost one do: which cluster gives
/// way.</summary>
public sealed class FoundingTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void NewcomerThatIsFirstAtAnEmptyServerKeepsNobodyOut(bool joins)
    {
        for (ulong seed = 1; seed <= 10; seed++)
        {
            var world = new MembershipWorld(seed);
            WorldNode[] nodes = world.Found(4);
            world.ReplaceServer();
            WorldNode newcomer = world.Add("newcomer");
            newcomer.Join("g", "h");
            if (joins) world.Run(Second / 2);
            else world.Run(world.Random.NextBelow(Second / 1000));
            foreach (WorldNode node in nodes)
            {
                world.Connect(node);
                world.Run(world.Random.NextBelow(Second / 20));
            }
            world.ConnectAll();
            world.Run(5 * Second);
            AssertUndisturbed(nodes);
            Assert.Equal(nodes[0].Instance, world.Server.Instance);
            if (newcomer.Expelled is not null)
            {
                Assert.Equal(MembershipRefusal.Superseded, newcomer.Expelled);
                WorldNode again = world.Add("again", incarnation: 2, port: 1004);
                again.Join("g", "h");
                world.Run(3 * Second);
            }
            world.CheckQuiet();
            Assert.Equal(5, world.Server.Statistics.Nodes);
        }
    }

    [Fact]
    public void NewcomerIsToldToRegisterAgainThoughItWasAwayWhenItsClusterWasGivenUp()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer();
        WorldNode newcomer = world.Add("newcomer");
        world.Run(Second / 10);
        world.Break(newcomer);
        world.Connect(nodes);
        world.Run(3 * Second);
        world.Connect(newcomer);
        newcomer.Join("g");
        world.Run(Second);
        world.ConnectAll();
        world.Run(Second);
        AssertUndisturbed([.. nodes, newcomer]);
        world.CheckQuiet();
        Assert.Equal(4, nodes[0].Agent.Cluster.Own!.Members.Length);
    }

    [Fact]
    public void ServerWhoseClusterIsNotYoungRefusesOthers()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        world.ReplaceServer();
        WorldNode stranger = world.Add("stranger");
        stranger.Join("g");
        world.Run(15 * Second);
        world.Connect(nodes);
        world.Run(3 * Second);
        Assert.All(nodes, node => Assert.Equal(MembershipRefusal.OtherCluster, node.Expelled));
        Assert.True(stranger.IsLive);
        world.CheckQuiet();
    }

    [Fact]
    public void YoungClusterOfMoreNodesIsNotGivenUpForAStray()
    {
        var world = new MembershipWorld();
        WorldNode stray = world.Add("stray");
        stray.Join("g");
        world.Run(Second);
        world.ReplaceServer();
        var young = new List<WorldNode>();
        for (int index = 0; index < 3; index++)
        {
            young.Add(world.Add($"young{index}"));
            young[^1].Join("g");
        }
        world.Run(Second);
        world.Connect(stray);
        world.Run(Second);
        Assert.Equal(MembershipRefusal.OtherCluster, stray.Expelled);
        AssertUndisturbed(young);
        world.CheckQuiet();
    }

    /// <summary>What came within the grace may lie unread, or its sender may not have spoken yet.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void FoundingEndsByWhatWasRead(bool isUnread)
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { FoundingGrace = 0.6 * Second });
        if (isUnread) world.Server.OnRead(world.Now);
        world.HasStrangers = !isUnread;
        WorldNode newcomer = world.Add("newcomer");
        newcomer.Join("g");
        world.Run(2 * Second);
        Assert.Empty(newcomer.Groups);
        world.Server.OnRead(Instant.Never);
        world.HasStrangers = false;
        world.Run(Second);
        Assert.Contains("g", newcomer.Groups.Keys);
    }

    [Fact]
    public void FoundingIsNotHeldUpForEver()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { FoundingGrace = Second / 10 })
        {
            HasStrangers = true,
        };
        WorldNode newcomer = world.Add("newcomer");
        newcomer.Join("g");
        world.Run(4 * Second);
        Assert.Contains("g", newcomer.Groups.Keys);
    }

    /// <summary>The server's process gets no processor in the grace: survivors call as late as it looks.</summary>
    [Fact]
    public void FoundingThatStoodStillWaitsForSurvivorsAfterwards()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { FoundingGrace = Second / 10 });
        WorldNode[] nodes = world.Found(3);
        world.Run(Second);
        world.ReplaceServer();
        WorldNode newcomer = world.Add("newcomer");
        newcomer.Join("g");
        world.Run(Second / 20);
        world.Freeze(2 * Second);
        world.Run(Second / 10);
        world.Connect(nodes);
        world.Run(Second);
        world.ConnectAll();
        world.Run(5 * Second);
        AssertUndisturbed([.. nodes, newcomer]);
        world.CheckQuiet();
    }

    [Fact]
    public void FoundingServerWaitsForSurvivorsWithItsFirstStep()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { FoundingGrace = Second / 10 });
        WorldNode[] nodes = world.AddMany(3);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(Second / 20);
        Assert.Empty(nodes[0].Steps);
        world.Run(Second);
        world.CheckQuiet();
        world.ReplaceServer();
        WorldNode newcomer = world.Add("newcomer");
        newcomer.Join("g");
        world.Run(Second / 20);
        world.Connect(nodes);
        world.Run(Second / 20);
        world.ConnectAll();
        world.Run(5 * Second);
        AssertUndisturbed([.. nodes, newcomer]);
        world.CheckQuiet();
    }
}
