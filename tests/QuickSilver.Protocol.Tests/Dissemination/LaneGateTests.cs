using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>When a lane's gate shuts and opens, and who waits for which region.</summary>
public class LaneGateTests
{
    private static readonly GroupInfo First = SendWorld.Group(1);
    private static readonly GroupInfo Second = SendWorld.Group(2);

    [Fact]
    public void TheGateShutsWhenAStreamIsFullAndOpensAtHalf()
    {
        var world = Limited(messages: 10);
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], view);
        GroupSender sender = world.Open(First);
        for (int index = 0; index < 9; index++)
        {
            world.Send(sender, new byte[1000]);
            world.PullAll();
        }
        Assert.True(sender.IsOpen);
        world.Send(sender, new byte[1000]);
        world.PullAll();
        Assert.False(sender.IsOpen);
        Assert.Equal([(sender, false)], world.Gates);
        StreamSender stream = world.Stream(view);
        world.Ack(stream, 4);
        Assert.False(sender.IsOpen);
        world.Ack(stream, 5);
        Assert.True(sender.IsOpen);
        Assert.Equal([(sender, false), (sender, true)], world.Gates);
        Assert.Equal(1UL, world.Counters.GatesShut);
        Assert.Equal((5L, 5000L), (world.Counters.PendingMessages, world.Counters.PendingBytes));
    }

    [Fact]
    public void AFullStreamShutsAllGroupsBoundToItAndNoOthers()
    {
        var world = Limited(messages: 10);
        GroupInfo third = SendWorld.Group(3);
        world.Begin(
            [First, Second, third],
            world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second),
            world.View(2, 2, 1, world.Nodes(20, 3), unicast: false, third));
        GroupSender busy = world.Open(First), neighbour = world.Open(Second);
        GroupSender far = world.Open(third);
        world.Send(neighbour, [1]);
        world.Send(far, [1]);
        for (int index = 0; index < 9; index++) world.Send(busy, [1]);
        world.PullAll();
        Assert.Equal((false, false, true), (busy.IsOpen, neighbour.IsOpen, far.IsOpen));
        world.PullAll();
        world.AckAll();
        Assert.Equal((true, true, true), (busy.IsOpen, neighbour.IsOpen, far.IsOpen));
    }

    [Fact]
    public void WhatWaitsForASwitchStaysWithItsSource()
    {
        var world = Limited(messages: 10);
        GroupSender sender = world.Open(First);
        for (int index = 0; index < 10; index++) world.Send(sender, [1]);
        Assert.Equal((10, 0L), (world.Waiting(sender), sender.PendingMessages));
        world.Begin([First], world.View(1, 1, 1, world.Nodes(1, 1), unicast: false, First));
        Assert.True(sender.IsOpen);
        Assert.Equal(10, world.Own.Count);
        Assert.Equal(0, world.Counters.PendingMessages);
    }

    [Fact]
    public void AStuckRegionHoldsUpOnlyTheGroupsThatSpanIt()
    {
        var world = new SendWorld(receiveBuffer: 100_000);
        RegionView near = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        RegionView far = world.View(2, 2, 1, world.Nodes(20, 3), unicast: false, First);
        world.Begin([First, Second], near, far);
        GroupSender spanning = world.Open(First), local = world.Open(Second);
        for (int index = 0; index < 1000; index++)
        {
            world.Send(spanning, new byte[1000]);
            world.PullAll();
            world.Ack(world.Stream(near), world.Stream(near).Highest);
        }
        Assert.True(world.Waiting(spanning) > 0);
        for (int index = 0; index < 50; index++)
        {
            world.Send(local, new byte[1000]);
            world.PullAll();
            world.Ack(world.Stream(near), world.Stream(near).Highest);
        }
        Assert.Equal(50UL, local.LastNumber);
        Assert.Equal(0, world.Waiting(local));
        ulong bound = spanning.LastNumber;
        Assert.InRange(bound, 200UL, 400UL);
        while (world.Waiting(spanning) > 0)
        {
            world.AckAll();
            world.PullAll();
        }
        Assert.Equal(1000UL, spanning.LastNumber);
    }

    [Fact]
    public void GroupsThatWaitForOneRegionTakeTurns()
    {
        var world = new SendWorld(receiveBuffer: 100_000);
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        world.Begin([First, Second], view);
        GroupSender first = world.Open(First), second = world.Open(Second);
        for (int index = 0; index < 1000; index++) world.Send(first, new byte[1000]);
        for (int index = 0; index < 1000; index++) world.Send(second, new byte[1000]);
        Assert.Equal(0UL, second.LastNumber);
        ulong before = first.LastNumber;
        while (first.LastNumber < before + 300)
        {
            world.PullAll();
            world.AckAll();
        }
        Assert.InRange(second.LastNumber, first.LastNumber - before - 1, first.LastNumber - before + 1);
    }

    private static SendWorld Limited(int messages) => new(pending: new PendingQuota { StreamMessages = messages });
}
