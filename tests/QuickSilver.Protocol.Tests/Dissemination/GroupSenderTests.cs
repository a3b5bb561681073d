using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>Order, numbers, steps and own delivery of one group.</summary>
public class GroupSenderTests
{
    private static readonly GroupInfo First = SendWorld.Group(1);
    private static readonly GroupInfo Second = SendWorld.Group(2);

    [Fact]
    public void EachMessageGoesOnceToEachRegionWithAnotherMember()
    {
        var world = new SendWorld();
        RegionView own = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        RegionView other = world.View(2, 2, 1, world.Nodes(10, 2), unicast: false, First);
        RegionView third = world.View(3, 3, 1, world.Nodes(20, 2), unicast: false, Second);
        world.Begin([First, Second], own, other, third);
        for (byte index = 0; index < 10; index++)
        {
            world.Send(world.Open(First), [1, index]);
            world.Send(world.Open(Second), [2, index]);
        }
        world.PullAll();
        Assert.Equal(20, Received(world, own).Messages.Count);
        Assert.Equal(10, Received(world, other).Messages.Count);
        Assert.Equal(10, Received(world, third).Messages.Count);
        Assert.Equal(3UL, world.Counters.PacketsSent);
        Assert.Equal(20UL, world.Counters.MessagesSent);
        Assert.Equal(3, world.Transport.OpenChannels);
    }

    [Fact]
    public void AloneInTheGroupNothingIsSentAndTheMessageIsStableAtOnce()
    {
        var world = new SendWorld();
        world.Begin([First], world.View(1, 1, 1, world.Nodes(1, 1), unicast: false, First));
        var ticket = new TicketStub();
        GroupSender sender = world.Open(First);
        var payload = new SendPayload([1, 2, 3]);
        world.Send(sender, payload, ticket);
        Assert.Equal((1UL, 1, 1, 0), (ticket.Number, ticket.Members, ticket.StableCalls, ticket.Removed));
        Assert.Equal([1, 2, 3], Assert.Single(world.Own).Bytes);
        Assert.Equal(1, payload.Recycled);
        Assert.Equal(0, world.PullAll());
        Assert.Equal(0, world.Transport.OpenChannels);
    }

    [Fact]
    public void WhereTheOwnRegionHasNobodyElseOwnDeliveryComesAtBinding()
    {
        var world = new SendWorld();
        RegionView other = world.View(2, 2, 1, world.Nodes(10, 2), unicast: false, First);
        RegionView third = world.View(3, 3, 1, world.Nodes(20, 2), unicast: false, First);
        world.Begin([First], world.View(1, 1, 1, world.Nodes(1, 1), unicast: false, First, Second), other, third);
        var payload = new SendPayload([7]);
        world.Send(world.Open(First), payload);
        Assert.Single(world.Own);
        Assert.Equal(0, payload.Recycled);
        Assert.Equal(2, world.PullAll());
        Assert.Equal(1, payload.Recycled);
        Assert.Single(Received(world, other).Messages);
        Assert.Single(Received(world, third).Messages);
    }

    [Fact]
    public void OwnDeliveryWaitsUntilThePacketIsMade()
    {
        var world = new SendWorld();
        world.Begin([First], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First));
        world.Send(world.Open(First), [7]);
        Assert.Empty(world.Own);
        world.PullAll();
        Assert.Equal([7], Assert.Single(world.Own).Bytes);
    }

    [Fact]
    public void OwnDeliveryKeepsNumbersInOrderWhenALaterViewIsFaster()
    {
        var world = new SendWorld();
        RegionView old = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], old);
        GroupSender sender = world.Open(First);
        world.Send(sender, [1]);
        // The node moves to a region where it is alone: what follows would be delivered at its binding.
        world.InstallEnd(2, old);
        world.Install(
            3,
            world.View(2, 2, 3, world.Nodes(1, 1), unicast: false, First),
            world.View(3, 3, 3, world.Nodes(2, 2), unicast: false, First));
        world.Switch();
        world.Send(sender, [2]);
        Assert.Empty(world.Own);
        world.PullAll();
        Assert.Equal([1UL, 2UL], world.Own.Select(own => own.Number));
        Assert.Equal([2], world.Own[1].Bytes);
    }

    [Fact]
    public void ASwitchBindsWhatFollowsToTheNewViewAndNumbersGoOn()
    {
        var world = new SendWorld();
        RegionView old = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], old);
        GroupSender sender = world.Open(First);
        world.Send(sender, [1]);
        RegionView next = world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, First);
        world.Install(2, next);
        world.Send(sender, [2]);
        world.PullAll();
        world.Switch();
        world.Send(sender, [3]);
        world.PullAll();

        StreamModel before = Received(world, old), after = Received(world, next);
        Assert.Equal(
            [(1UL, SendWorld.Step(1)), (2UL, SendWorld.Step(1))],
            before.Messages.Select(message => (message.Number, message.Step)));
        Assert.Equal([(3UL, SendWorld.Step(2))], after.Messages.Select(message => (message.Number, message.Step)));
        Assert.Equal(default, before.Firsts[(First.Id, 1)]);
        Assert.Equal(SendWorld.Step(1), after.Firsts[(First.Id, 3)]);
        Assert.False(before.Firsts.ContainsKey((First.Id, 2)));
    }

    [Fact]
    public void AViewThatOutlivesAStepCarriesEachPacketsStep()
    {
        var world = new SendWorld();
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First, Second], view);
        GroupSender sender = world.Open(First);
        world.Send(sender, [1]);
        world.PullAll();
        world.Install(2, world.View(2, 2, 2, world.Nodes(9, 1), unicast: false, Second));
        world.Switch();
        world.Send(sender, [2]);
        world.PullAll();
        Assert.Equal(
            [(1UL, 1UL), (2UL, 2UL)],
            Received(world, view).Messages.Select(message => (message.Number, message.Step.Counter)));
        Assert.Equal(2UL, world.Stream(view).Highest);
    }

    [Fact]
    public void AGroupFirstUsedBetweenInstallAndSwitchIsSentInTheStepBefore()
    {
        var world = new SendWorld();
        RegionView active = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], active);
        RegionView next = world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, First);
        world.Install(2, next);
        GroupSender sender = world.Open(First);
        var ticket = new TicketStub();
        Assert.Equal(3, sender.SendMemberCount);
        world.Send(sender, [1], ticket);
        world.PullAll();
        Assert.Equal((1UL, 3), (ticket.Number, ticket.Members));
        Assert.Single(Received(world, active).Messages);
        world.Switch();
        Assert.Equal(4, sender.SendMemberCount);
        world.Send(sender, [2], ticket);
        world.PullAll();
        Assert.Equal((2UL, 4, SendWorld.Step(2)), (ticket.Number, ticket.Members, ticket.View));
        Assert.Single(Received(world, next).Messages);
    }

    [Fact]
    public void AGroupJoinedInAStepThatIsNotActiveWaitsForTheSwitch()
    {
        var world = new SendWorld();
        RegionView active = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], active);
        RegionView next = world.View(2, 2, 2, world.Nodes(1, 3), unicast: false, First, Second);
        world.Cluster.Join(Second);
        world.Install(2, next);
        GroupSender sender = world.Open(Second);
        var ticket = new TicketStub();
        world.Send(sender, [1], ticket);
        world.PullAll();
        Assert.Equal(1, world.Waiting(sender));
        Assert.Equal(0UL, ticket.Number);
        world.Switch();
        world.PullAll();
        Assert.Equal(0, world.Waiting(sender));
        Assert.Equal((1UL, 3, SendWorld.Step(2)), (ticket.Number, ticket.Members, ticket.View));
        Assert.Single(Received(world, next).Messages);
    }

    [Fact]
    public void ASourceSignalledBeforeTheSwitchIsAskedAfterIt()
    {
        var world = new SendWorld();
        GroupSender sender = world.Open(First);
        var source = new SourceStub(1);
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        Assert.Equal(0, source.Asked);
        world.Begin([First], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First));
        world.PullAll();
        Assert.Equal(2, source.Asked);
        Assert.Equal(1UL, sender.LastNumber);
    }

    [Fact]
    public void NumbersAndTheStepBeforeSurviveALeaveAndAJoin()
    {
        var world = new SendWorld();
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], view);
        world.Send(world.Open(First), [1]);
        world.PullAll();
        world.Cluster.Leave(First);
        world.InstallEnd(2, view);
        world.Switch();
        Assert.Equal(0, world.Open(First).SendMemberCount);
        world.Cluster.Join(First);
        RegionView again = world.View(1, 2, 3, world.Nodes(1, 4), unicast: false, First);
        world.Install(3, again);
        world.Switch();
        world.Send(world.Open(First), [2]);
        world.PullAll();
        Assert.Equal(2UL, Assert.Single(Received(world, again).Messages).Number);
        Assert.Equal(SendWorld.Step(1), Received(world, again).Firsts[(First.Id, 2)]);
        Assert.Equal(4, world.Open(First).SendMemberCount);
    }

    [Fact]
    public void WhatAnUpcallSendsIsSentAfterTheCall()
    {
        var world = new SendWorld();
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        world.Begin([First, Second], view);
        GroupSender first = world.Open(First), second = world.Open(Second);
        world.OnOwn = (group, number) =>
        {
            if (group == first) world.Send(second, [(byte)number]);
        };
        for (int index = 0; index < 100; index++) world.Send(first, new byte[500]);
        world.PullAll();
        Assert.Equal(100UL, second.LastNumber);
        Assert.Equal(200, Received(world, view).Messages.Count);
    }

    [Fact]
    public void AHandlerThatAnswersForEverDoesNotHoldTheLoop()
    {
        var world = new SendWorld();
        world.Begin([First], world.View(1, 1, 1, world.Nodes(1, 1), unicast: false, First));
        GroupSender sender = world.Open(First);
        world.OnOwn = (group, _) => world.Send(group, [1]);
        world.Send(sender, [1]);
        ulong soFar = sender.LastNumber;
        Assert.InRange(soFar, 100UL, 10_000UL);
        world.Now = world.Alarms.NextDue;
        Assert.True(world.Alarms.FireNext(world.Now));
        Assert.True(sender.LastNumber > soFar);
    }

    private static StreamModel Received(SendWorld world, RegionView view)
    {
        var model = new StreamModel(view);
        model.Take(world.DataTrains.Where(train =>
            train.Headers[0].ViewTag == view.Number.Tag && train.Headers[0].ViewCounter == view.Number.Counter));
        return model;
    }
}
