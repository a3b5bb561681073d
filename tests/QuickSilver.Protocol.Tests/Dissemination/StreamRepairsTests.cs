using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class StreamRepairsTests
{
    private static readonly GroupInfo Group = SendWorld.Group(1);

    [Fact]
    public void OneMemberGetsItsRepairByUnicastAsARepair()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        world.Nak(world.Stream(view), view.Members[2], wide: false, new SequenceRange(3, 4));
        world.PullAll();
        SentTrain repair = Assert.Single(world.Trains, train => train.Kind == DatagramKind.Repair);
        Assert.Equal(
            (PriorityClass.Repair, TrainRoute.Unicast, view.Members[2].Data),
            (repair.Priority, repair.Route, repair.To));
        byte[] original = world.DataTrains.Single().Datagrams[2];
        Assert.Equal(original.AsSpan(DatagramHeader.Length), repair.Datagrams[0].AsSpan(DatagramHeader.Length));
        Assert.Equal((3UL, DatagramFlags.PayloadChecksum), (repair.Headers[0].Sequence, repair.Headers[0].Flags));
        Assert.True(world.Stream(view).TryGetPacket(3, out Slice kept));
        Assert.Equal(original, kept.Span);
        Assert.Equal(1UL, world.Counters.Retransmissions);
    }

    [Fact]
    public void APartitionGetsItsRepairsByOneMulticastTrain()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        world.Nak(world.Stream(view), view.Members[2], wide: true, new SequenceRange(2, 5), new SequenceRange(7, 8));
        world.PullAll();
        SentTrain repair = Assert.Single(world.Trains, train => train.Kind == DatagramKind.Repair);
        Assert.Equal(TrainRoute.Region, repair.Route);
        Assert.Equal([2UL, 3UL, 4UL, 7UL], repair.Headers.Select(header => header.Sequence));
    }

    [Fact]
    public void AMulticastRepairThatIsInVainGoesToTheAskerByUnicastTooFromTheThirdOn()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        var routes = new List<TrainRoute[]>();
        for (int repair = 0; repair < 3; repair++)
        {
            world.Trains.Clear();
            world.Nak(world.Stream(view), view.Members[2], wide: true, new SequenceRange(2, 3));
            world.PullAll();
            SentTrain[] repairs = [.. world.Trains.Where(static train => train.Kind == DatagramKind.Repair)];
            Assert.All(
                repairs, train => Assert.True(train.Route == TrainRoute.Region || train.To == view.Members[2].Data));
            routes.Add([.. repairs.Select(static train => train.Route)]);
            world.RunFor(TimeSpan.FromSeconds(2));
        }
        Assert.Equal([[TrainRoute.Region], [TrainRoute.Region], [TrainRoute.Region, TrainRoute.Unicast]], routes);
    }

    [Fact]
    public void APartitionOfAUnicastViewGetsItsRepairsOncePerMember()
    {
        SendWorld world = World(out RegionView view, packets: 10, unicast: true);
        world.Nak(world.Stream(view), view.Members[2], wide: true, new SequenceRange(2, 3));
        world.PullAll();
        IEnumerable<SentTrain> repairs = world.Trains.Where(train => train.Kind == DatagramKind.Repair);
        Assert.Equal(view.Members.Skip(1).Select(member => member.Data), repairs.Select(train => train.To));
    }

    [Fact]
    public void NobodyGetsAPacketTwiceWithinARoundTrip()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        StreamSender stream = world.Stream(view);
        world.Nak(stream, view.Members[2], wide: false, new SequenceRange(3, 4));
        world.Nak(stream, view.Members[2], wide: false, new SequenceRange(3, 4));
        world.PullAll();
        world.Now += TimeSpan.FromMilliseconds(19);
        world.Nak(stream, view.Members[2], wide: false, new SequenceRange(3, 4));
        world.PullAll();
        Assert.Equal((1UL, 2UL), (world.Counters.Retransmissions, world.Counters.NaksIgnored));
        world.Now += TimeSpan.FromMilliseconds(1);
        world.Nak(stream, view.Members[2], wide: false, new SequenceRange(3, 4));
        world.PullAll();
        Assert.Equal((2UL, 2UL), (world.Counters.Retransmissions, world.Counters.NaksIgnored));
    }

    [Fact]
    public void ThePauseBetweenRepairsOfAPacketDoublesUpToASecond()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        var sent = new List<int>();
        for (int millis = 0; millis < 4_000; millis++)
        {
            ulong before = world.Counters.Retransmissions;
            world.Nak(world.Stream(view), view.Members[2], wide: false, new SequenceRange(3, 4));
            world.PullAll();
            if (world.Counters.Retransmissions > before) sent.Add(millis);
            world.Now += TimeSpan.FromMilliseconds(1);
        }
        Assert.Equal([0, 20, 60, 140, 300, 620, 1_260, 2_260, 3_260], sent);
    }

    [Fact]
    public void RepeatsHaveABudgetForEachAskerAndFirstRepairsHaveNone()
    {
        SendWorld world = World(out RegionView view, packets: 3_000);
        StreamSender stream = world.Stream(view);
        ulong sent = stream.Highest;
        Assert.InRange(sent, 1_025UL, 2_047UL);
        for (int time = 0; time < 3; time++)
        {
            world.Nak(stream, view.Members[2], wide: false, new SequenceRange(1, sent + 1));
            world.PullAll();
            world.Now += TimeSpan.FromMilliseconds(100);
        }
        // The first time all; then the burst, and what a tenth of a second adds to it.
        Assert.Equal(sent + 2_048 + 5, world.Counters.Retransmissions);
        Assert.Equal((2 * sent) - 2_048 - 5, world.Counters.RepeatsRefused);
        world.Nak(stream, view.Members[3], wide: false, new SequenceRange(1, 101));
        world.PullAll();
        Assert.Equal(sent + 2_048 + 5 + 100, world.Counters.Retransmissions);
    }

    [Fact]
    public void ARepairThatWaitsIsNotQueuedTwiceHoweverLongItWaits()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        for (int round = 0; round < 10; round++)
        {
            world.Nak(world.Stream(view), view.Members[2], wide: true, new SequenceRange(3, 4));
            world.Now += TimeSpan.FromMilliseconds(100);
        }
        world.PullAll();
        Assert.Equal((1UL, 9UL), (world.Counters.Retransmissions, world.Counters.NaksIgnored));
    }

    [Fact]
    public void TheThirdAskerMakesItOneMulticastForAll()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        StreamSender stream = world.Stream(view);
        for (int member = 1; member <= 5; member++)
            world.Nak(stream, view.Members[member], wide: false, new SequenceRange(3, 4));
        world.PullAll();
        Assert.Equal(
            [TrainRoute.Unicast, TrainRoute.Unicast, TrainRoute.Region],
            world.Trains.Where(train => train.Kind == DatagramKind.Repair).Select(train => train.Route));
        Assert.Equal(2UL, world.Counters.NaksIgnored);
    }

    [Fact]
    public void WhatIsStableIsNotSentAgain()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        StreamSender stream = world.Stream(view);
        world.Nak(stream, view.Members[2], wide: true, new SequenceRange(3, 8));
        world.Ack(stream, 5);
        world.PullAll();
        Assert.Equal(
            [6UL, 7UL],
            Assert.Single(
                world.Trains, train => train.Kind == DatagramKind.Repair).Headers.Select(header => header.Sequence));
        Assert.True(world.Nak(stream, view.Members[2], wide: true, new SequenceRange(1, 6)));
        Assert.Equal(5UL, world.Counters.NaksIgnored);
    }

    [Fact]
    public void ANakForWhatWasNeverSentChangesNothingAndTheRestOfItCounts()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        StreamSender stream = world.Stream(view);
        Assert.False(
            world.Nak(stream, view.Members[2], wide: true, new SequenceRange(ulong.MaxValue - 1, ulong.MaxValue)));
        world.PullAll();
        Assert.Equal((0UL, 0UL), (world.Counters.Retransmissions, world.Counters.NaksIgnored));
        Assert.True(
            world.Nak(
                stream, view.Members[2], wide: true, new SequenceRange(3, 4),
                new SequenceRange(stream.Highest, ulong.MaxValue)));
        world.PullAll();
        Assert.Equal((2UL, 1UL), (world.Counters.Retransmissions, world.Counters.FeedbackCutShort));
    }

    [Fact]
    public void ARemovedAskerGetsNothing()
    {
        SendWorld world = World(out RegionView view, packets: 10);
        world.Nak(world.Stream(view), view.Members[2], wide: false, new SequenceRange(3, 4));
        world.Remove(view.Members[2]);
        world.PullAll();
        Assert.Equal(0UL, world.Counters.Retransmissions);
    }

    [Fact]
    public void RepairsOfUnequalLengthAreSeparateTrains()
    {
        SendWorld world = World(out RegionView view, packets: 3);
        world.Send(world.Open(Group), new byte[5]);
        world.PullAll();
        world.Send(world.Open(Group), new byte[500]);
        world.PullAll();
        StreamSender stream = world.Stream(view);
        ulong last = stream.Highest;
        world.Nak(stream, view.Members[2], wide: true, new SequenceRange(last - 1, last + 1));
        world.PullAll();
        Assert.Equal(
            [last - 1, last],
            world.Trains.Where(train => train.Kind == DatagramKind.Repair)
                .Select(train => train.Headers.Single().Sequence));
    }

    [Fact]
    public void RepairsGiveTheirMemoryBackWhenTheyAreThrough()
    {
        SendWorld world = World(out RegionView view, packets: 100);
        int before = world.Pool.OutstandingChunks;
        world.Nak(world.Stream(view), view.Members[2], wide: true, new SequenceRange(1, 90));
        Assert.Equal(1, world.PullAll(most: 1));
        Assert.Equal(before + 1, world.Pool.OutstandingChunks);
        world.PullAll();
        Assert.Equal(before, world.Pool.OutstandingChunks);
    }

    private static SendWorld World(out RegionView view, int packets, bool unicast = false)
    {
        var world = new SendWorld();
        view = world.View(1, 1, 1, world.Nodes(1, 7), unicast, Group);
        world.Begin([Group], view);
        GroupSender sender = world.Open(Group);
        world.Send(sender, new byte[packets * 1310]);
        world.PullAll();
        return world;
    }
}
