using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class StreamSenderTests
{
    private static readonly GroupInfo Group = SendWorld.Group(1);

    [Fact]
    public void AMulticastViewGetsOneTrainOverItsChannel()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, [1]);
        world.PullAll();
        SentTrain train = Assert.Single(world.Trains);
        Assert.Equal((TrainRoute.Region, PriorityClass.Data), (train.Route, train.Priority));
        Assert.Equal(view.Multicast, Assert.IsType<SendTransport.Channel>(train.Channel).Group);
        Assert.Equal(world.Self.Number.Key, train.Headers[0].Sender);
    }

    [Fact]
    public void AUnicastViewGetsTheSameTrainOncePerLiveMemberOtherThanTheSender()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view, unicast: true, members: 5);
        world.Remove(view.Members[3]);
        for (int index = 0; index < 50; index++) world.Send(sender, new byte[1000]);
        world.PullAll();
        Assert.Equal([2U, 3U, 5U], world.Trains.Select(train => train.To.Address));
        Assert.All(world.Trains, train => Assert.Equal(TrainRoute.Unicast, train.Route));
        Assert.All(world.Trains, train => Assert.Equal(world.Trains[0].Datagrams, train.Datagrams));
        Assert.Equal((ulong)world.Trains[0].Datagrams.Count, world.Counters.PacketsSent);
        Assert.Equal(world.Counters.PacketsSent * 3, world.Counters.DataDatagrams);
        Assert.Equal(0, world.Transport.OpenChannels);
    }

    [Fact]
    public void TheWindowStopsTheStreamAndIntakeLetsItGoOn()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view, receiveBuffer: 400_000);
        for (int index = 0; index < 200; index++) world.Send(sender, new byte[1300]);
        world.PullAll();
        StreamSender stream = world.Stream(view);
        ulong first = stream.Highest;
        Assert.InRange(first, 8UL, 20UL);
        Assert.Equal(FeedbackUrgency.Immediate, stream.Urgency);
        Assert.True((Last(world).Flags & DatagramFlags.FeedbackWanted) != 0);
        Assert.True((world.DataTrains.First().Headers[0].Flags & DatagramFlags.FeedbackWanted) == 0);
        // Read, though not stable.
        world.Ack(stream, 0, readPosition: first);
        world.PullAll();
        Assert.True(stream.Highest > first);
        Assert.Equal(0UL, stream.Stable);
    }

    [Fact]
    public void AFixedRatePacesAndAnAlarmGoesOn()
    {
        var settings = new DisseminationSettings { Rate = new RateSettings { Fixed = true, Initial = 1000 } };
        SendWorld world = World(out GroupSender sender, out RegionView view, settings, trainDatagrams: 4);
        for (int index = 0; index < 150; index++) world.Send(sender, new byte[1300]);
        world.PullAll();
        ulong burst = world.Stream(view).Highest;
        Assert.InRange(burst, 4UL, 12UL);
        world.RunFor(TimeSpan.FromMilliseconds(50));
        Assert.InRange(world.Stream(view).Highest, burst + 45, burst + 55);
    }

    [Fact]
    public void BeaconsFollowSilenceAtDoublingDistancesUntilAllIsStable()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, [1]);
        world.Send(sender, [2]);
        world.PullAll();
        Instant sent = world.Now;
        var times = new List<double>();
        for (int millisecond = 1; millisecond <= 4000; millisecond++)
        {
            int before = world.Beacons.Count();
            world.RunFor(TimeSpan.FromMilliseconds(1));
            if (world.Beacons.Count() > before) times.Add((world.Now - sent).TotalMilliseconds);
        }
        Assert.Equal([5, 15, 35, 75, 155, 315, 635, 1275, 2275, 3275], times.Select(time => Math.Round(time)));
        DatagramHeader.TryRead(world.Beacons.First(), out DatagramHeader beacon);
        Assert.Equal((1UL, DatagramFlags.None, view.Number.Tag), (beacon.Sequence, beacon.Flags, beacon.ViewTag));
        Assert.Equal(14UL, world.Counters.Beacons);
        world.AckAll();
        world.RunFor(TimeSpan.FromSeconds(10));
        Assert.Equal(10, times.Count);
        Assert.Equal(14UL, world.Counters.Beacons);
        Assert.Equal(0, world.Alarms.Count);
    }

    [Fact]
    public void BeaconsThatChangeNothingGoToOneMemberByUnicastTooAnotherEachTime()
    {
        SendWorld world = World(out GroupSender sender, out _);
        world.Send(sender, [1]);
        world.PullAll();
        world.RunFor(TimeSpan.FromMilliseconds(320));
        Assert.All(world.Trains, static train => Assert.Equal(TrainRoute.Region, train.Route));
        world.Trains.Clear();
        world.RunFor(TimeSpan.FromSeconds(3));

        Assert.Equal(4, world.Trains.Count(static train => train.Route == TrainRoute.Region));
        SentTrain[] told = [.. world.Trains.Where(static train => train.Route == TrainRoute.Unicast)];
        Assert.Equal(4, told.Length);
        Assert.All(told, static train => Assert.Equal(DatagramKind.Beacon, train.Kind));
        Assert.Equal(2, told.Select(static train => train.To).Distinct().Count());
    }

    [Fact]
    public void NoBeaconInterruptsAStreamThatSends()
    {
        SendWorld world = World(out GroupSender sender, out _);
        for (int index = 0; index < 100; index++)
        {
            world.Send(sender, [1]);
            world.RunFor(TimeSpan.FromMilliseconds(4));
        }
        Assert.Empty(world.Beacons);
        world.RunFor(TimeSpan.FromMilliseconds(2));
        Assert.Single(world.Beacons);
    }

    [Fact]
    public void AStreamBlockedByItsWindowSendsBeaconsThatWantFeedback()
    {
        SendWorld world = World(out GroupSender sender, out _, receiveBuffer: 400_000);
        for (int index = 0; index < 200; index++) world.Send(sender, new byte[1300]);
        world.RunFor(TimeSpan.FromMilliseconds(6));
        DatagramHeader.TryRead(Assert.Single(world.Beacons), out DatagramHeader beacon);
        Assert.Equal(DatagramFlags.FeedbackWanted, beacon.Flags);
    }

    [Fact]
    public void ASupersededStreamSendsItsFinalUntilStableAndIsThenDoneOnce()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, new byte[3000]);
        world.PullAll();
        world.Install(2, world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, Group));
        world.Switch();
        world.PullAll();
        Assert.Equal([DatagramKind.Data, DatagramKind.Beacon], world.Trains.Select(train => train.Kind));
        Assert.Equal((3UL, DatagramFlags.Final), (Last(world).Sequence, Last(world).Flags));
        world.RunFor(TimeSpan.FromMilliseconds(16));
        Assert.Equal(3, world.Beacons.Count());
        world.Ack(world.Stream(view), 2);
        Assert.Empty(world.Done);
        world.Ack(world.Stream(view), 3);
        world.Ack(world.Stream(view), 3);
        Assert.Equal([view], world.Done);
        world.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal(3, world.Beacons.Count());
    }

    [Fact]
    public void ASupersededViewThatGotNothingIsDoneAtOnce()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        RegionView next = world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, Group);
        world.Install(2, next);
        Assert.Empty(world.Done);
        world.Switch();
        Assert.Equal([view], world.Done);
        world.Send(sender, [1]);
        world.PullAll();
        world.AckAll();
        world.Install(3, world.View(1, 3, 3, world.Nodes(1, 5), unicast: false, Group));
        world.Switch();
        Assert.Equal([view, next], world.Done);
        Assert.Empty(world.Beacons);
    }

    [Fact]
    public void AViewSupersededInAStepThatWasSkippedIsDoneToo()
    {
        SendWorld world = World(out _, out RegionView view);
        RegionView second = world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, Group);
        world.Install(2, second);
        world.Install(3, world.View(1, 3, 3, world.Nodes(1, 5), unicast: false, Group));
        world.Switch();
        Assert.Equal([view, second], world.Done);
    }

    [Fact]
    public void AViewOpenedAgainIsNotDoneBeforeItIsSupersededAgain()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, [1]);
        world.PullAll();
        world.InstallEnd(2, view);
        world.Switch();
        world.Install(3, view);
        world.AckAll();
        Assert.Empty(world.Done);
        world.Switch();
        world.InstallEnd(4, view);
        Assert.Empty(world.Done);
        world.Switch();
        Assert.Equal([view], world.Done);
    }

    [Fact]
    public void ANodePermittedAgainGoesOnWithItsSequence()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, [1]);
        world.PullAll();
        world.AckAll();
        world.InstallEnd(2, view);
        world.Switch();
        Assert.Equal([view], world.Done);
        world.Install(3, view);
        world.Switch();
        world.Send(sender, [2]);
        world.PullAll();
        Assert.Equal((2UL, DatagramFlags.PayloadChecksum), (Last(world).Sequence, Last(world).Flags));
        var model = new StreamModel(view);
        model.Take(world.DataTrains);
        Assert.Equal([1UL, 2UL], model.Messages.Select(message => message.Number));
        Assert.Single(model.Firsts);
        world.AckAll();
        world.InstallEnd(4, view);
        world.Switch();
        Assert.Equal([view, view], world.Done);
    }

    [Fact]
    public void AViewWhoseOtherMembersAreRemovedIsStableAndDone()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view, receiveBuffer: 100_000);
        var tickets = new List<TicketStub>();
        for (int index = 0; index < 100; index++)
        {
            tickets.Add(new TicketStub());
            world.Send(sender, new byte[1300], tickets[^1]);
        }
        world.PullAll();
        Assert.InRange(world.Own.Count, 1, 99);
        world.Remove(view.Members[1]);
        Assert.Equal(0, tickets[0].StableCalls);
        world.Remove(view.Members[2]);
        Assert.All(tickets, ticket => Assert.Equal((1, 2), (ticket.StableCalls, ticket.Removed)));
        Assert.Equal(Enumerable.Range(1, 100), world.Own.Select(own => (int)own.Number));
        world.Send(sender, [5], tickets[0]);
        Assert.Equal((2, 2), (tickets[0].StableCalls, tickets[0].Removed));
        Assert.Equal(101, world.Own.Count);
        Assert.Equal(0, world.Counters.PendingMessages);
        world.Install(2, world.View(1, 2, 2, [world.Self], unicast: false, Group));
        world.Switch();
        Assert.Equal([view], world.Done);
    }

    [Fact]
    public void FeedbackThatNamesWhatWasNeverSentCountsAsFarAsItWasSent()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, [1]);
        world.PullAll();
        StreamSender stream = world.Stream(view);
        Assert.False(world.Disseminator.OnAck(stream, new AckBody(2, 2, null, 1, 0), world.Now));
        Assert.True(world.Disseminator.OnAck(stream, new AckBody(0, 2, 2, 1, 0), world.Now));
        Assert.Equal((0UL, 1UL), (stream.Stable, world.Counters.FeedbackCutShort));
        Assert.True(world.Disseminator.OnAck(stream, new AckBody(1, 2, null, 1, 0), world.Now));
        Assert.True(world.Disseminator.OnAck(stream, new AckBody(0, 0, null, 1, 0), world.Now));
        Assert.Equal((1UL, 2UL), (stream.Stable, world.Counters.FeedbackCutShort));
    }

    [Fact]
    public void PendingPacketsCanBeServedUntilTheyAreStable()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, new byte[5000]);
        world.PullAll();
        StreamSender stream = world.Stream(view);
        Assert.False(stream.TryGetPacket(0, out _));
        Assert.True(stream.TryGetPacket(2, out Slice datagram));
        Assert.True(datagram.Span.SequenceEqual(world.Trains[0].Datagrams[1]));
        Assert.False(stream.TryGetPacket(5, out _));
        world.Ack(stream, 2);
        Assert.False(stream.TryGetPacket(2, out _));
        Assert.True(stream.TryGetPacket(3, out _));
    }

    [Fact]
    public void ARetiredViewGivesItsChannelAndMemoryBack()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view);
        world.Send(sender, new byte[5000]);
        world.PullAll();
        world.AckAll();
        world.InstallEnd(2, view);
        world.Switch();
        world.Disseminator.OnViewRetired(view, world.Now);
        Assert.Null(world.Disseminator.FindStream(view.Number.Tag, view.Number.Counter));
        Assert.Equal(0, world.Transport.OpenChannels);
        Assert.Equal(0, world.PullAll());
    }

    [Fact]
    public void AnIdleStreamHoldsNoMemory()
    {
        SendWorld world = World(out GroupSender sender, out _);
        world.Send(sender, new byte[5000]);
        world.PullAll();
        Assert.NotEqual(0, world.Pool.OutstandingChunks);
        world.AckAll();
        world.PullAll();
        Assert.Equal(1, world.Pool.OutstandingChunks);
        world.Disseminator.Close();
        Assert.Equal(0, world.Pool.OutstandingChunks);
    }

    [Fact]
    public void TheMemoryOfATrainInTheRootsHandsIsNotUsedAgainUnderIt()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view, unicast: true);
        world.Keeps = false;
        world.Send(sender, [1, 2, 3]);
        Assert.Equal(1, world.PullAll(most: 1));
        int chunks = world.Pool.OutstandingChunks;
        world.Remove(view.Members[1], view.Members[2]);
        Assert.Equal(chunks, world.Pool.OutstandingChunks);
        world.PullAll();
        Assert.True(world.Pool.OutstandingChunks < chunks);
    }

    [Fact]
    public void ANewViewsStreamBeginsWithItsPredecessorsShare()
    {
        SendWorld world = World(out GroupSender sender, out RegionView view, receiveBuffer: 4_000_000);
        world.Send(sender, [1]);
        world.PullAll();
        world.Ack(world.Stream(view), 1, 1, streams: 2);
        Assert.Equal(1_000_000, world.Stream(view).WindowShare);
        RegionView next = world.View(1, 2, 2, world.Nodes(1, 4), unicast: false, Group);
        world.Install(2, next);
        world.Switch();
        world.Send(sender, [2]);
        Assert.Equal(1_000_000, world.Stream(next).WindowShare);
    }

    [Fact]
    public void OneUpcallTellsOfATrain()
    {
        SendWorld world = World(out GroupSender sender, out _);
        for (int index = 0; index < 50; index++) world.Send(sender, new byte[1000]);
        world.PullAll();
        Assert.Equal(1, world.Advanced);
    }

    private static DatagramHeader Last(SendWorld world) => world.Trains[^1].Headers[^1];

    private static SendWorld World(
        out GroupSender sender,
        out RegionView view,
        DisseminationSettings? settings = null,
        bool unicast = false,
        int members = 3,
        int receiveBuffer = 64 << 20,
        int trainDatagrams = 64)
    {
        var world = new SendWorld(settings, trainDatagrams: trainDatagrams, receiveBuffer: receiveBuffer);
        view = world.View(1, 1, 1, world.Nodes(1, members), unicast, Group);
        world.Begin([Group], view);
        sender = world.Open(Group);
        _ = sender.LastNumber;
        return world;
    }
}
