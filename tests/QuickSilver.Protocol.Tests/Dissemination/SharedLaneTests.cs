using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>Messages of many groups in one lane.</summary>
public class SharedLaneTests
{
    private static readonly GroupInfo[] Groups = [
        .. Enumerable.Range(1, 40).Select(static number => SendWorld.Group((uint)number))];

    [Fact]
    public void MessagesOfManyGroupsLeaveInOneOrderAndOnePacket()
    {
        var world = new SendWorld();
        world.Begin(Groups, world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, Groups));
        var source = new LaneSourceStub(world);
        for (int index = 0; index < 80; index++) source.Add(world.Open(Groups[index % 40]), (byte)index);
        source.Signal();
        world.PullAll();
        Assert.Single(world.DataTrains);
        Assert.Equal(
            Enumerable.Range(0, 80).Select(static index => (byte)index), world.Own.Select(static own => own.Bytes[0]));
        Assert.All(Groups, group => Assert.Equal(2UL, world.Open(group).LastNumber));
        Assert.Single(source.All);
    }

    [Fact]
    public void WhatASourceGathersOfAGroupSharesAHeadFromTheSecondMessageOn()
    {
        var world = new SendWorld();
        world.Begin(Groups, world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, Groups));
        var source = new LaneSourceStub(world) { Gathers = true };
        for (int index = 0; index < 80; index++) source.Add(world.Open(Groups[index % 4]), (byte)index);
        source.Signal();
        world.PullAll();
        // The first of its group stands alone.
        Assert.Equal([1, 1, 1, 1, 19, 19, 19, 19], world.OwnRuns);
        for (int group = 0; group < 4; group++)
        {
            GroupSender sender = world.Open(Groups[group]);
            Assert.Equal(
                Enumerable.Range(0, 20).Select(index => (byte)((index * 4) + group)),
                world.Own.Where(own => own.Group == sender).Select(static own => own.Bytes[0]));
        }
    }

    [Fact]
    public void GroupsThatGoAnotherWayGoIntoOneLaneForEachWay()
    {
        var world = new SendWorld();
        GroupInfo[] far = [.. Groups.Where(static (_, index) => index % 2 == 1)];
        world.Begin(
            Groups,
            world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, Groups),
            world.View(2, 2, 1, world.Nodes(20, 3), unicast: false, far));
        var source = new LaneSourceStub(world);
        for (int index = 0; index < 80; index++) source.Add(world.Open(Groups[index % 40]), (byte)index);
        source.Signal();
        world.PullAll();
        Assert.Equal(2, source.All.Count);
        Assert.All(source.All, static one => Assert.Equal(0, one.Waiting));
        Assert.All(Groups, group => Assert.Equal(2UL, world.Open(group).LastNumber));
    }

    [Fact]
    public void AGroupThatWaitsForAStepHoldsUpNoOtherAndIsEnteredOnce()
    {
        var marks = new Dictionary<string, ulong>();
        var world = new SendWorld(new DisseminationSettings
        {
            Rate = new RateSettings { Fixed = true, Initial = 1e9 },
            Probes = new Probes(marks),
        });
        world.Begin([Groups[0]], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, Groups[0]));
        var source = new LaneSourceStub(world);
        GroupSender early = world.Open(Groups[1]), member = world.Open(Groups[0]);
        source.Add(early, 1);
        source.Add(member, 2);
        source.Signal();
        world.PullAll();
        Assert.Equal((0UL, 1UL), (early.LastNumber, member.LastNumber));
        LaneSourceStub waiting = Assert.Single(source.All, static one => one.IsWaiting);
        for (int signal = 0; signal < 100; signal++) waiting.Signal();
        Assert.Equal(1UL, marks["a message waits for a step that is installed and not yet active"]);

        world.Cluster.Join(Groups[1]);
        world.Install(2, world.View(1, 2, 2, world.Nodes(1, 3), unicast: false, Groups[0], Groups[1]));
        world.Switch();
        world.PullAll();
        Assert.Equal(1UL, early.LastNumber);
        Assert.Equal(0, waiting.Waiting);
    }

    [Fact]
    public void ALaneTakesAnotherWayWithTheStepAndALaneThatEndedIsNotFound()
    {
        var world = new SendWorld();
        GroupInfo[] two = [Groups[0], Groups[1]];
        RegionView both = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, two);
        world.Begin(two, both, world.View(2, 2, 1, world.Nodes(20, 3), unicast: false, Groups[1]));
        var source = new LaneSourceStub(world);
        GroupSender near = world.Open(Groups[0]), far = world.Open(Groups[1]);
        source.Add(near, 1);
        source.Add(far, 2);
        source.Signal();
        world.PullAll();
        LaneSourceStub other = source.All[1];
        other.Lane.Close();
        source.Add(far, 3);
        source.Signal();
        world.PullAll();
        Assert.Equal(3, source.All.Count);
        Assert.Equal(2UL, far.LastNumber);

        world.Install(2, world.View(1, 3, 2, world.Nodes(1, 4), unicast: false, two));
        world.Switch();
        source.Add(near, 4);
        source.Signal();
        world.PullAll();
        Assert.Equal(2UL, near.LastNumber);
        Assert.Equal(3, source.All.Count);
    }
}
