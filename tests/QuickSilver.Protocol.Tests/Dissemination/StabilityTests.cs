using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>What a group is told of the stability of what it sent: flushes, tickets, and who is still waited
/// for.</summary>
public class StabilityTests
{
    private static readonly GroupInfo First = SendWorld.Group(1);
    private static readonly GroupInfo Second = SendWorld.Group(2);

    [Fact]
    public void AFlushWaitsForWhatWasTakenBeforeAndForNothingElse()
    {
        var world = new SendWorld();
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], view);
        GroupSender sender = world.Open(First);
        int flushed = 0;
        sender.Flush(_ => flushed++, world.Now);
        Assert.Equal(1, flushed);
        for (int index = 0; index < 3; index++)
        {
            world.Send(sender, [1]);
            world.PullAll();
        }
        sender.Flush(_ => flushed += 10, world.Now);
        world.Send(sender, [1]);
        world.PullAll();
        world.Ack(world.Stream(view), 2);
        Assert.Equal(1, flushed);
        world.Ack(world.Stream(view), 3);
        Assert.Equal(11, flushed);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void PacketsSayThatSomebodyWaitsUntilNobodyDoes(bool flushes)
    {
        var world = new SendWorld();
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        world.Begin([First, Second], view);
        GroupSender sender = world.Open(First);
        GroupSender other = world.Open(Second);
        Assert.Equal(FeedbackUrgency.Low, UrgencyOfNext(world, other));

        world.Send(sender, [1], flushes ? null : new TicketStub());
        world.PullAll();
        if (flushes) sender.Flush(static _ => { }, world.Now);
        else Assert.Equal(FeedbackUrgency.Normal, world.Trains[^1].Headers[^1].Urgency);
        Assert.Equal(FeedbackUrgency.Normal, world.Stream(view).Urgency);
        Assert.Equal(FeedbackUrgency.Normal, UrgencyOfNext(world, other));

        world.Ack(world.Stream(view), 2);
        Assert.Equal(FeedbackUrgency.Low, world.Stream(view).Urgency);
        Assert.Equal(FeedbackUrgency.Low, UrgencyOfNext(world, other));
    }

    private static FeedbackUrgency UrgencyOfNext(SendWorld world, GroupSender sender)
    {
        world.Send(sender, [2]);
        world.PullAll();
        return world.Trains[^1].Headers[^1].Urgency;
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(7, 3)]
    [InlineData(7, 7)]
    public void AFlushBetweenMessagesOfOnePacketCountsThoseBeforeItOnly(int messages, int before)
    {
        var world = new SendWorld();
        // A group of two regions: its messages are bound before they are packed.
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        RegionView far = world.View(2, 2, 1, world.Nodes(20, 2), unicast: false, First);
        world.Begin([First, Second], view, far);
        GroupSender sender = world.Open(First);
        int flushed = 0;
        for (int index = 1; index <= messages; index++)
        {
            world.Send(sender, [1]);
            if (index == before) sender.Flush(_ => flushed++, world.Now);
            if (index == 4) world.Send(world.Open(Second), [2]);
        }
        world.PullAll();
        Assert.Equal(1UL, world.Stream(view).Highest);
        Assert.Equal(messages, sender.PendingMessages);
        Assert.Equal(messages, sender.PendingBytes);
        world.Ack(world.Stream(far), 1);
        Assert.Equal(0, flushed);
        world.Ack(world.Stream(view), 1);
        Assert.Equal(1, flushed);
        Assert.Equal(0, sender.PendingMessages);
        Assert.Equal(0, sender.PendingBytes);
        sender.Flush(_ => flushed++, world.Now);
        Assert.Equal(2, flushed);
    }

    [Fact]
    public void WhatIsCountedInRunsIsStillNamedAsUnstable()
    {
        var world = new SendWorld();
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second);
        world.Begin([First, Second], view);
        GroupSender sender = world.Open(First), other = world.Open(Second);
        var ticket = new TicketStub();
        world.Send(sender, [1]);
        world.Send(sender, [2]);
        world.PullAll();
        world.Send(other, [3], ticket);
        world.PullAll();
        Assert.Equal([view], Unstable(world, sender, null));
        Assert.Empty(Unstable(world, sender, ticket));
        Assert.Equal([view], Unstable(world, other, ticket));
        world.Ack(world.Stream(view), 1);
        Assert.Empty(Unstable(world, sender, null));
        world.Ack(world.Stream(view), 2);
        Assert.Empty(Unstable(world, other, ticket));
        Assert.Equal(1, ticket.StableCalls);
    }

    [Fact]
    public void ADroppedStreamGivesBackTheRecordsOfRunsAndOfMessagesWithTickets()
    {
        var world = new SendWorld();
        NodeInfo[] nodes = world.Nodes(1, 2);
        world.Begin([First], world.View(1, 1, 1, nodes, unicast: false, First));
        GroupSender sender = world.Open(First);
        var ticket = new TicketStub();
        for (int index = 0; index < 20; index++) world.Send(sender, [1], index % 5 == 0 ? ticket : null);
        world.PullAll();
        int flushed = 0;
        sender.Flush(_ => flushed++, world.Now);
        world.Remove(nodes[^1]);
        Assert.Equal(4, ticket.StableCalls);
        Assert.Equal(1, flushed);
        Assert.Equal(0, sender.PendingMessages);
        Assert.Equal(20, world.Own.Count);
        world.Disseminator.Close();
        Assert.Equal(0, world.Pool.OutstandingChunks);
    }

    [Fact]
    public void AFlushIsNotDeceivedByLaterMessagesThatAreStableEarlier()
    {
        var world = new SendWorld();
        RegionView old = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First);
        world.Begin([First], old);
        GroupSender sender = world.Open(First);
        world.Send(sender, [1]);
        world.PullAll();
        int flushed = 0;
        sender.Flush(_ => flushed++, world.Now);
        RegionView next = world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, First);
        world.Install(2, next);
        world.Switch();
        world.Send(sender, [2]);
        world.PullAll();
        world.Ack(world.Stream(next), 1);
        Assert.Equal(0, flushed);
        world.Ack(world.Stream(old), 1);
        Assert.Equal(1, flushed);
    }

    [Fact]
    public void ATicketIsToldOnceWhenAllRegionsAreStableAndCountsTheRemoved()
    {
        var world = new SendWorld();
        NodeInfo[] others = world.Nodes(20, 3);
        RegionView near = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First),
            far = world.View(2, 2, 1, others, unicast: false, First);
        world.Begin([First], near, far);
        var ticket = new TicketStub();
        world.Send(world.Open(First), [1], ticket);
        world.PullAll();
        Assert.Equal(6, ticket.Members);
        world.Ack(world.Stream(near), 1);
        Assert.Equal(0, ticket.StableCalls);
        world.Remove(others[0]);
        Assert.Equal(0, ticket.StableCalls);
        world.Ack(world.Stream(far), 1);
        Assert.Equal((1, 1), (ticket.StableCalls, ticket.Removed));
    }

    private static List<RegionView> Unstable(SendWorld world, GroupSender group, SendTicket? ticket)
    {
        List<RegionView> views = [];
        world.Disseminator.FindUnstable(group, ticket, isWaiting: false, views);
        return views;
    }
}
