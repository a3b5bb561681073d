using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Groups are known as long as anything names them, and no longer; one node cannot fill the table.</summary>
public class GroupTableTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void AGroupIsForgottenWhenNobodyIsInItAndNoViewKnowsIt()
    {
        var world = new MembershipWorld();
        WorldNode node = world.AddMany(1)[0];
        GroupId first = Session(world, node, "g");
        world.Run(Second);
        Assert.Equal(0, world.Server.Statistics.Groups);
        Assert.Equal([first], node.Forgotten);
        Assert.NotEqual(first, Session(world, node, "g"));
    }

    [Fact]
    public void AGroupKeepsItsNumberWhileAViewNamesIt()
    {
        var world = new MembershipWorld();
        WorldNode node = world.AddMany(1)[0];
        node.HoldsDone = true;
        GroupId first = Session(world, node, "g");
        world.Run(10 * Second);
        Assert.Equal(1, world.Server.Statistics.Groups);
        Assert.Empty(node.Forgotten);
        Assert.Equal(first, Session(world, node, "g"));
        node.SendHeldReports();
        world.Run(Second);
        Assert.Equal([first], node.Forgotten);
        Assert.Equal(0, world.Server.Statistics.Groups);
    }

    [Fact]
    public void AGroupIsKnownAsLongAsOneMemberIsInItAndThoseWhoHaveLeftAreToldOfItsEnd()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(3);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(Second);
        GroupId id = nodes[0].Groups["g"].Id;
        nodes[0].Leave("g");
        nodes[1].Goodbye();
        world.Run(Second);
        Assert.Empty(nodes[0].Forgotten);
        nodes[0].Join("g");
        world.Run(Second);
        Assert.Equal(id, nodes[0].Groups["g"].Id);
        nodes[0].Leave("g");
        nodes[2].Leave("g");
        world.Run(Second);
        Assert.Equal([id], nodes[0].Forgotten);
        Assert.Equal([id], nodes[2].Forgotten);
    }

    [Fact]
    public void AJoinThatWaitsKeepsTheGroup()
    {
        var world = new MembershipWorld(settings: new MembershipServerSettings { InstallTimeout = 5 * Second });
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join("g");
        world.Run(Second);
        GroupId id = nodes[0].Groups["g"].Id;
        nodes[0].Leave("g");
        nodes[1].Join("g");
        world.Run(Second);
        Assert.Equal(id, nodes[1].Groups["g"].Id);
        Assert.Empty(nodes[0].Forgotten);
    }

    [Fact]
    public void ANodeThatDiesWithItsGroupsLeavesNothingBehind()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join(Enumerable.Range(0, 500).Select(index => $"g{index}"));
        nodes[1].Join("g0");
        world.Run(Second);
        nodes[0].Join("one more");
        nodes[0].Crash();
        world.Run(60 * Second);
        Assert.Equal(1, world.Server.Statistics.Groups);
        nodes[1].Leave("g0");
        world.Run(Second);
        Assert.Equal(0, world.Server.Statistics.Groups);
    }

    [Fact]
    public void AServerThatForgetsAGroupWhoseMemberANodeIsIsNotBelieved()
    {
        var world = new MembershipWorld();
        WorldNode node = world.AddMany(1)[0];
        node.Join("g");
        world.Run(Second);
        var frame = new FrameBuilder();
        CounterRuns.Write(frame.Begin(FrameKind.GroupsForgotten), [node.Groups["g"].Id.Counter]);
        node.Agent.OnFrame(frame.Span, world.Now);
        Assert.Equal(MembershipRefusal.BadFrame, node.Expelled);
        Assert.Empty(node.Forgotten);
    }

    [Fact]
    public void OneNodeCannotFillTheTable()
    {
        var world = new MembershipWorld(settings: new MembershipServerSettings { MaxGroups = 40 });
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join(Enumerable.Range(0, 30).Select(index => $"g{index}"));
        world.Run(Second);
        Assert.Equal(10, nodes[0].Groups.Count);
        Assert.Equal(20, nodes[0].Refused.Count);
        Assert.All(nodes[0].Refused, refused => Assert.Equal(MembershipRefusal.TooManyGroups, refused.Reason));
        nodes[1].Join("a", "b");
        world.Run(Second);
        Assert.Equal(2, nodes[1].Groups.Count);
        Assert.Empty(nodes[1].Refused);
        nodes[0].Leave("g0");
        world.Run(Second);
        nodes[0].Join("again");
        world.Run(Second);
        Assert.Equal(10, nodes[0].Groups.Count);
        nodes[0].Crash();
        world.Run(60 * Second);
        Assert.Equal(2, world.Server.Statistics.Groups);
    }

    [Fact]
    public void NamesThatANodeMakesAndLeavesCountAsItsOwnWhileItKeepsTheirViews()
    {
        var world = new MembershipWorld(settings: new MembershipServerSettings { MaxGroups = 40 });
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].HoldsDone = true;
        for (int index = 0; index < 20; index++)
        {
            nodes[0].Join($"g{index}");
            world.Run(Second);
            if (nodes[0].Groups.ContainsKey($"g{index}")) nodes[0].Leave($"g{index}");
            world.Run(Second);
        }
        Assert.Equal(10, world.Server.Statistics.Groups);
        Assert.Equal(10, nodes[0].Refused.Count);
        nodes[1].Join("a");
        world.Run(Second);
        Assert.Empty(nodes[1].Refused);
        nodes[0].SendHeldReports();
        world.Run(Second);
        Assert.Equal(1, world.Server.Statistics.Groups);
    }

    [Fact]
    public void AGroupTakenOverLivesUntilTheViewsOfTheServerBeforeHaveRetired()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(Second);
        GroupId id = nodes[0].Groups["g"].Id;
        nodes[1].HoldsDone = true;
        nodes[1].Leave("g");
        world.Run(Second);
        world.ReplaceServer();
        foreach (WorldNode node in nodes) world.Connect(node);
        world.Run(10 * Second);
        nodes[0].Leave("g");
        world.Run(Second);
        Assert.Equal(1, world.Server.Statistics.Groups);
        nodes[1].SendHeldReports();
        world.Run(Second);
        Assert.Equal(0, world.Server.Statistics.Groups);
        Assert.Contains(id, nodes[0].Forgotten);
        Assert.Contains(id, nodes[1].Forgotten);
    }

    [Fact]
    public void AForgottenGroupThatWasTakenOverIsNotTakenOverAgain()
    {
        var groups = new ServerGroups(100, 25, new AddressPool(new MembershipServerSettings()), Probes.None);
        var info = new GroupInfo(new GroupId(new Epoch(1, 1), 7), "g", 0);
        Assert.True(groups.CanInherit(info));
        groups.Inherit(info);
        groups.CloseInheritance();
        groups.ReleaseInherited();
        var nodes = new NodeTable(new MembershipWorld(), static () => UInt128.One, ProtocolVersions.Spoken);
        groups.ForgetIdle(nodes, Instant.Zero);
        Assert.Equal(0, groups.Count);
        Assert.False(groups.CanInherit(info));
    }

    [Fact]
    public void WhateverComesAndGoesTheTableHoldsTheGroupsThatNodesAreIn()
    {
        for (ulong seed = 1; seed <= 30; seed++)
        {
            var world = new MembershipWorld(seed);
            WorldNode[] nodes = world.AddMany(4);
            var names = new Dictionary<GroupId, string>();
            for (int round = 0; round < 60; round++)
            {
                WorldNode node = nodes[world.Random.NextBelow(4)];
                string name = $"g{world.Random.NextBelow(6)}";
                if (node.Groups.ContainsKey(name) && node.Wanted.Contains(name)) node.Leave(name);
                else if (!node.Wanted.Contains(name) && !node.Groups.ContainsKey(name)) node.Join(name);
                if (world.Random.NextBelow(3) == 0) world.Run(world.Random.NextBelow(TimeSpan.FromMilliseconds(20)));
                if (round == 30 && seed % 3 == 0)
                {
                    world.ReplaceServer();
                    foreach (WorldNode survivor in nodes) world.Connect(survivor);
                    world.Run(5 * Second);
                }
                foreach (GroupInfo group in nodes.SelectMany(other => other.Groups.Values))
                {
                    Assert.True(
                        names.TryAdd(group.Id, group.Name) || names[group.Id] == group.Name,
                        $"seed {seed}: {group.Id} has two names");
                }
            }
            world.Run(10 * Second);
            world.CheckQuiet();
            Assert.Equal(nodes.SelectMany(node => node.Wanted).Distinct().Count(), world.Server.Statistics.Groups);
        }
    }

    [Fact]
    public void NamesWithoutEndLeaveNoTableBehind()
    {
        var world = new MembershipWorld { MaxDelay = TimeSpan.Zero };
        WorldNode node = world.AddMany(1)[0];
        for (int index = 0; index < 300; index++)
        {
            Session(world, node, $"name {index}", TimeSpan.FromMilliseconds(10));
            Assert.InRange(world.Server.Statistics.Groups, 0, 4);
        }
        world.Run(Second);
        Assert.Equal(0, world.Server.Statistics.Groups);
        Assert.Equal(300, node.Forgotten.Distinct().Count());
        Assert.Empty(node.KnownViews);
    }

    private static GroupId Session(MembershipWorld world, WorldNode node, string name, TimeSpan? time = null)
    {
        node.Join(name);
        world.Run(time ?? Second);
        GroupId id = node.Groups[name].Id;
        node.Leave(name);
        world.Run(time ?? Second);
        Assert.False(node.Groups.ContainsKey(name));
        return id;
    }
}
