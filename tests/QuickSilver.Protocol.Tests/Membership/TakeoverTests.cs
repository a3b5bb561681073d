using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Membership.MembershipWorldSteps;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>A server that replaces a lost one. The world checks V1 to V4 at every step, across servers too.</summary>
public sealed class TakeoverTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void NewServerTakesOverAnIdleCluster()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(5);
        foreach (WorldNode node in nodes) node.Join("all");
        nodes[0].Join("some");
        nodes[1].Join("some");
        world.Run(Second);
        NodeNumber[] numbers = [.. nodes.Select(node => node.Agent.Cluster.Self!.Number)];
        GroupId all = nodes[0].Groups["all"].Id;
        StepNumber before = nodes[0].Agent.Cluster.Installed;

        world.ReplaceServer();
        world.Connect(nodes);
        world.Run(3 * Second);

        AssertUndisturbed(nodes);
        world.CheckQuiet();
        Assert.Equal(numbers, nodes.Select(node => node.Agent.Cluster.Self!.Number));
        Assert.Equal(nodes[0].Instance, world.Server.Instance);
        Assert.InRange(nodes[0].Agent.Cluster.Installed.Epoch.Term, 2UL, 252UL);
        Assert.True(before < nodes[0].Agent.Cluster.Installed);
        Assert.Equal(1UL, world.Server.Statistics.Steps);
        Assert.Equal(0UL, world.Server.Statistics.Removed);
        Assert.All(nodes, node => Assert.Equal([true], node.Connections.Where(up => up)));
        Assert.All(nodes, node =>
            Assert.Equal(
                node.KnownViews.Count,
                node.KnownViews.Count(view => view.Epoch == node.Agent.Cluster.Installed.Epoch)));
        Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);

        WorldNode late = world.Add("late");
        late.Join("all", "new");
        nodes[0].Leave("some");
        nodes[2].Join("some", "new");
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal(all, late.Groups["all"].Id);
        Assert.DoesNotContain(
            late.Groups["new"].Id,
            nodes.SelectMany(node => node.Steps).SelectMany(step => step.Left).Select(group => group.Id));
        Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
    }

    /// <summary>A handshake that takes longer than the time for survivors is under way: nobody is removed for
    /// it.</summary>
    [Fact]
    public void TakeoverWaitsForConnectionsThatAreBeingMade()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { TakeoverTimeout = 2 * Second });
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer();
        world.HasStrangers = true;
        world.Connect(nodes[..2]);
        world.Run(6 * Second);
        Assert.Equal(0UL, world.Server.Statistics.Removed);
        world.Connect(nodes[2]);
        world.Run(0.05 * Second);
        world.HasStrangers = false;
        world.Run(Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
        Assert.Equal(0UL, world.Server.Statistics.Removed);
    }

    [Fact]
    public void ConnectionsThatSayNothingDoNotHoldATakeoverUpForEver()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { TakeoverTimeout = 2 * Second });
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer();
        world.HasStrangers = true;
        world.Connect(nodes[..2]);
        world.Run(13 * Second);
        Assert.Equal(1UL, world.Server.Statistics.Removed);
    }

    [Fact]
    public void TakeoverDoesNotCostTheWholeGraceWhenAllAreBack()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(5);
        world.ReplaceServer();
        world.Connect(nodes);
        world.Run(0.4 * Second);
        Assert.Equal(0UL, world.Server.Statistics.Steps);
        world.Run(0.2 * Second);
        Assert.Equal(1UL, world.Server.Statistics.Steps);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
    }

    [Fact]
    public void SurvivorsThatWereInNoGroupAreLetIntoThoseTheyAskFor()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(3);
        world.Run(Second);
        world.ReplaceServer();
        foreach (WorldNode node in nodes)
        {
            node.Join("g");
            world.Connect(node);
        }
        world.Run(3 * Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
        Assert.All(nodes, node => Assert.Contains("g", node.Groups.Keys));
    }

    /// <summary>The detector's period, or what the server is told where no network can keep a node away.</summary>
    [Theory]
    [InlineData(null, 9.0, 11.0)]
    [InlineData(2.0, 1.9, 3.0)]
    public void MemberThatDiedWithTheServerIsRemovedAfterItsTime(double? timeout, double before, double after)
    {
        var world = new MembershipWorld(settings: new MembershipServerSettings { TakeoverTimeout = timeout * Second });
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer();
        nodes[0].Crash();
        for (int index = 1; index < nodes.Length; index++) world.Connect(nodes[index]);
        world.Run(before * Second);
        Assert.All(nodes[1..], node => Assert.Empty(node.Removed));
        Assert.Equal(0UL, world.Server.Statistics.Steps);
        world.Run((after - before) * Second);
        Assert.All(nodes[1..], node => Assert.Equal([nodes[0].Name], node.Removed.Select(removed => removed.Name)));
        AssertUndisturbed(nodes[1..]);
        world.CheckQuiet();
        Assert.Equal(1, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void NobodyIsMissedWhoMayLieUnread()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer();
        world.Server.OnRead(world.Now);
        for (int index = 1; index < nodes.Length; index++) world.Connect(nodes[index]);
        world.Run(30 * Second);
        Assert.All(nodes[1..], node => Assert.Empty(node.Removed));
        world.Connect(nodes[0]);
        world.Run(Second);
        world.Server.OnRead(world.Now);
        world.Run(2 * Second);
        Assert.All(nodes, node => Assert.Empty(node.Removed));
        AssertUndisturbed(nodes);
        world.CheckQuiet();
    }

    [Fact]
    public void MemberThatSaidGoodbyeBeforeIsNotWaitedFor()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(3);
        foreach (WorldNode node in nodes)
        {
            node.HoldsDone = true;
            node.Join("g");
        }
        world.Run(Second);
        nodes[0].Goodbye();
        world.Run(Second);
        world.ReplaceServer();
        world.Connect(nodes[1..]);
        world.Run(3 * Second);
        AssertUndisturbed(nodes[1..]);
        world.CheckQuiet();
        Assert.True(world.Server.Statistics.UnretiredViews > 1);
        foreach (WorldNode node in nodes[1..]) node.SendHeldReports();
        world.Run(Second);
        Assert.Equal(1, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void NodeThatWasRemovedUnawaresComesToNoOtherServerThoughNoViewNamesIt()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        nodes[0].Leave("g");
        world.Run(Second);
        world.Break(nodes[0]);
        world.Run(15 * Second);
        Assert.All(nodes[1..], node => Assert.Equal([nodes[0].Name], node.Removed.Select(removed => removed.Name)));
        world.ReplaceServer();
        world.Connect(nodes);
        world.Run(5 * Second);
        Assert.Equal(MembershipRefusal.Removed, nodes[0].Expelled);
        AssertUndisturbed(nodes[1..]);
        world.CheckQuiet();
    }

    [Fact]
    public void SurvivorThatComesTooLateIsRefused()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer();
        world.Connect(nodes[1..]);
        world.Run(11 * Second);
        world.Connect(nodes[0]);
        world.Run(Second);
        Assert.Equal(MembershipRefusal.Removed, nodes[0].Expelled);
        AssertUndisturbed(nodes[1..]);
        world.CheckQuiet();
    }

    [Fact]
    public void NodesThatShareNoGroupAreTakenOverOneAfterTheOther()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(5);
        nodes[0].Join("g");
        nodes[1].Join("g");
        nodes[2].Join("h");
        nodes[3].Join("h");
        world.Run(Second);
        world.ReplaceServer();
        foreach (WorldNode node in (WorldNode[])[nodes[4], nodes[0], nodes[1], nodes[2]])
        {
            world.Connect(node);
            world.Run(3 * Second);
        }
        Assert.Equal(1UL, world.Server.Statistics.Steps);
        nodes[0].Join("h");
        world.Run(Second);
        world.Connect(nodes[3]);
        world.Run(Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
    }

    [Fact]
    public void NodeThatWasLeftBehindIsRemoved()
    {
        var world = new MembershipWorld(settings: new MembershipServerSettings { FailureTimeout = 100 * Second });
        WorldNode[] nodes = world.Found(3);
        world.OnFrameToNode = (to, frame) => to == nodes[2]
            ? throw new InvalidOperationException("not connected") : frame;
        world.Break(nodes[2]);
        nodes[0].Join("h");
        world.Run(10 * Second);
        Assert.Equal(1UL, world.Server.Statistics.Removed);
        world.OnFrameToNode = null;
        world.ReplaceServer();
        world.Connect(nodes);
        world.Run(3 * Second);
        Assert.Equal(MembershipRefusal.Removed, nodes[2].Expelled);
        AssertUndisturbed(nodes[..2]);
        world.CheckQuiet();
    }

    // A member that had not installed the last step saw the group change with the new server's first step, the others
    // did not: one membership had two numbers.
    [Fact]
    public void MembersThatEndedWithDifferentStepsAgreeOnTheNumbersOfGroupViews()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(3);
        nodes[0].Join("g");
        nodes[1].Join("g");
        world.Run(Second);
        world.Break(nodes[1]);
        nodes[2].Join("g");
        world.Run(Second / 10);
        Assert.True(nodes[0].Steps.Count > nodes[1].Steps.Count);
        world.ReplaceServer();
        world.Connect(nodes);
        world.Run(5 * Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
    }

    [Fact]
    public void WelcomeThatIsLostIsGivenAgain()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        world.ReplaceServer();
        world.Connect(nodes);
        for (long ticks = 0; world.Server.Statistics.Nodes < 2; ticks++)
        {
            Assert.True(ticks < Second.Ticks, "the server has not taken both nodes over");
            world.Run(TimeSpan.FromTicks(1));
        }
        world.Break(nodes[0]);
        world.Connect(nodes[0]);
        world.Run(3 * Second);
        AssertUndisturbed(nodes);
        world.CheckQuiet();
    }

    [Fact]
    public void ServerThatAwaitsAMajorityRemovesNobodyBeforeIt()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { AwaitMajority = true });
        WorldNode[] nodes = world.Found(5);
        world.ReplaceServer();
        world.Connect(nodes[0]);
        world.Connect(nodes[1]);
        nodes[0].Join("more");
        world.Run(60 * Second);
        Assert.Equal(0UL, world.Server.Statistics.Steps);
        Assert.Equal(0UL, world.Server.Statistics.Removed);
        Assert.Equal(JoinStage.Survivors, nodes[0].Agent.JoinsWaitFor?.Stage);
        Assert.Equal(3, nodes[0].Agent.JoinsWaitFor!.Total);
        world.Connect(nodes[2]);
        world.Run(3 * Second);
        AssertUndisturbed(nodes[..3]);
        nodes[3].Crash();
        nodes[4].Crash();
        world.CheckQuiet();
    }

    // Two servers that followed the same one: what a node of the one that came first knows must not be taken for what
    // the other gives out.
    [Fact]
    public void SurvivorsOfAnotherServerThatFollowedTheSameOneAreTakenOver()
    {
        for (ulong seed = 1; seed <= 10; seed++)
        {
            var world = new MembershipWorld(seed);
            WorldNode[] nodes = world.Found(4);
            world.ReplaceServer();
            world.Connect(nodes[0]);
            world.Connect(nodes[1]);
            world.Run(Second / 2);
            world.ReplaceServer();
            world.Connect(nodes[2]);
            world.Run(Second / 10);
            foreach (WorldNode node in nodes) Assert.True(node.IsLive);
            ulong highest = nodes.Max(static node => node.Agent.Cluster.Installed.Epoch.Term);
            world.Connect(nodes[0]);
            world.Connect(nodes[1]);
            world.Connect(nodes[3]);
            for (int turn = 0; turn < 10; turn++)
            {
                world.Run(Second / 2);
                world.ConnectAll();
            }
            world.Run(3 * Second);
            AssertUndisturbed(nodes);
            world.CheckQuiet();
            Assert.True(nodes[0].Agent.Cluster.Installed.Epoch.Term >= highest, $"seed {seed}");
        }
    }

    [Fact]
    public void ServersMayGoAtAnyTime()
    {
        for (ulong seed = 1; seed <= 60; seed++)
        {
            var world = new MembershipWorld(seed);
            WorldNode[] nodes = world.AddMany(6);
            string[] groups = ["a", "b", "c", "d"];
            foreach (WorldNode node in nodes) node.Join(groups.Where(_ => world.Random.NextBelow(2) == 0));
            for (int server = 0; server < 4; server++)
            {
                world.Run(Ticks(world, 40));
                foreach (WorldNode node in nodes)
                {
                    string group = groups[(int)world.Random.NextBelow((ulong)groups.Length)];
                    bool change = world.Random.NextBelow(2) == 0;
                    if (change && !node.Wanted.Contains(group)) node.Join(group);
                    else if (change && node.Groups.ContainsKey(group)) node.Leave(group);
                }
                world.Run(Ticks(world, 10));
                world.ReplaceServer();
                Reconnect(world, world.Random.NextBelow(6000));
            }
            Reconnect(world, 12_000);
            Assert.All(nodes, node => Assert.True(node.IsLive, $"seed {seed}: {node.Name} is out, {node.Expelled}"));
            Assert.All(nodes, node => Assert.Empty(node.Removed));
            world.CheckQuiet();
            Assert.True(
                world.Server.Statistics.Regions == world.Server.Statistics.UnretiredViews,
                $"seed {seed}: views do not retire");
        }

        // A node without a connection opens one within two seconds, mostly in one.
        static void Reconnect(MembershipWorld world, ulong milliseconds)
        {
            var since = new Dictionary<WorldNode, int>();
            for (ulong passed = 0; passed < milliseconds; passed += 50)
            {
                foreach (WorldNode node in world.Nodes)
                {
                    if (node.Connection is not null || !node.IsLive) continue;
                    since[node] = since.GetValueOrDefault(node) + 1;
                    if (world.Random.NextBelow(10) > 0 && since[node] < 35) continue;
                    since[node] = 0;
                    world.Connect(node);
                }
                world.Run(TimeSpan.FromMilliseconds(50));
            }
        }

        static TimeSpan Ticks(MembershipWorld world, int milliseconds) =>
            world.Random.NextBelow(TimeSpan.FromMilliseconds(milliseconds));
    }
}
