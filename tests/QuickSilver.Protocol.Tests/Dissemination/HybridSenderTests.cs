using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>One copy for all regions of a group: who takes part, who paces, and what becomes of a message when a region
/// drops out.</summary>
public class HybridSenderTests
{
    private static readonly NetEndpoint Address = new(0xEF00_00FF, 15_001);
    private static readonly GroupInfo Hybrid =
        SendWorld.Group(3) with { Mode = GroupModes.Hybrid, Address = Address };

    [Fact]
    public void OneCopyLeavesForAllRegions()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group);
        foreach (string text in new[] { "one", "two", "three" }) Send(world, group, text);
        world.PullAll();

        SentTrain train = Assert.Single(world.Trains);
        Assert.Equal(DatagramKind.Hybrid, train.Kind);
        Assert.Equal(Address, Assert.IsType<SendTransport.Channel>(train.Channel).Group);
        foreach (RegionView view in views)
        {
            Assert.Equal(1UL, world.Stream(view).Highest);
            Assert.Equal(["one", "two", "three"], TextsOf(Derive(train.Datagrams[0], view), view));
        }
        Assert.Equal((1UL, 1UL, 3UL), (world.Counters.HybridPackets, world.Counters.PacketsSent,
            world.Counters.MessageCopies));
        Assert.Equal(0UL, world.Counters.HybridFallbacks);
    }

    [Fact]
    public void AMessageIsStableWhenAllRegionsHaveIt()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group);
        var ticket = new TicketStub();
        world.Send(group, "one"u8.ToArray(), ticket);
        world.PullAll();
        Assert.Equal((1L, 3L), (group.PendingMessages, group.PendingBytes));

        for (int index = 0; index < views.Length; index++)
        {
            Assert.Equal(0, ticket.StableCalls);
            world.Ack(world.Stream(views[index]), 1, 1);
        }
        Assert.Equal((1, 0L), (ticket.StableCalls, group.PendingMessages));
    }

    [Fact]
    public void ARepairIsAnOrdinaryPacketOfItsRegion()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group);
        Send(world, group, "one");
        world.PullAll();
        byte[] derived = Derive(world.Trains[0].Datagrams[0], views[1]);
        world.Trains.Clear();

        Assert.True(world.Nak(world.Stream(views[1]), views[1].Members[0], wide: true, new SequenceRange(1, 2)));
        world.PullAll();

        byte[] repair = world.Trains[0].Datagrams[0];
        Assert.Equal(DatagramKind.Repair, world.Trains[0].Kind);
        Assert.Equal(derived[DatagramHeader.Length..], repair[DatagramHeader.Length..]);
        DatagramHeader.TryRead(repair, out DatagramHeader header);
        Assert.Equal(
            (views[1].Number.Tag, views[1].Number.Counter, 1UL), (header.ViewTag, header.ViewCounter, header.Sequence));
        Assert.True(header.PayloadIsIntact(repair));
    }

    [Fact]
    public void TheSlowestRegionPacesAndOthersOfItsGroupsGoOn()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, receiveBuffer: 256 << 10);
        GroupSender local = world.Open(SendWorld.Group(10));
        for (int count = 0; count < 400; count++) world.Send(group, new byte[1200]);
        world.PullAll();
        ulong before = world.Stream(views[0]).Highest;
        Assert.InRange(before, 1UL, 399UL);

        // The first two regions read; the third does not.
        foreach (RegionView view in views[..2])
            world.Ack(world.Stream(view), world.Stream(view).Highest, world.Stream(view).Highest);
        world.PullAll();
        Assert.Equal(before, world.Stream(views[0]).Highest);
        Send(world, local, "local");
        world.PullAll();
        Assert.Equal((before + 1, before), (world.Stream(views[0]).Highest, world.Stream(views[1]).Highest));

        world.Ack(world.Stream(views[2]), before, before);
        world.PullAll();
        Assert.True(world.Stream(views[1]).Highest > before);
        Assert.Equal(0UL, world.Counters.HybridFallbacks);
    }

    [Fact]
    public void ARegionWithoutMulticastGetsPacketsOfItsOwn()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, lastByUnicast: true);
        Send(world, group, "one");
        world.PullAll();

        Assert.Equal(
            [DatagramKind.Data, DatagramKind.Hybrid], world.Trains.Select(train => train.Kind).Order().Distinct());
        Assert.All(world.DataTrains, train => Assert.Equal(TrainRoute.Unicast, train.Route));
        Assert.Equal(2, RegionsOf(world.Trains.Single(train => train.Kind == DatagramKind.Hybrid)));
        Assert.All(views, view => Assert.Equal(1UL, world.Stream(view).Highest));
        Assert.Equal(1UL, world.Counters.HybridFallbacks);
    }

    // It has no address of its own. Where every node was a region alone, hybrid groups sent as many copies as others.
    [Fact]
    public void AMemberAloneInItsRegionTakesPart()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, lastByUnicast: true, lastMembers: 1);
        Send(world, group, "one");
        world.PullAll();

        SentTrain train = Assert.Single(world.Trains);
        Assert.Equal(3, RegionsOf(train));
        Assert.Equal(["one"], TextsOf(Derive(train.Datagrams[0], views[2]), views[2]));
        Assert.Equal(0UL, world.Counters.HybridFallbacks);
    }

    [Fact]
    public void AMergedRegionGetsPacketsOfItsOwn()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, lastIsMerged: true);
        Send(world, group, "one");
        world.PullAll();

        SentTrain hybrid = world.Trains.Single(train => train.Kind == DatagramKind.Hybrid);
        Assert.Equal(2, RegionsOf(hybrid));
        Assert.Empty(Derive(hybrid.Datagrams[0], views[2]));
        SentTrain own = Assert.Single(world.DataTrains);
        Assert.Equal(TrainRoute.Region, own.Route);
        Assert.Equal(["one"], TextsOf(own.Datagrams[0], views[2]));
        Assert.Equal(1UL, world.Counters.HybridFallbacks);
    }

    [Fact]
    public void PiecesOfLongMessagesStayPiecesAndAreNotBatched()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group);
        Send(world, group, "before");
        bool[] pieces = [false, false, true, true, false, false];
        foreach (bool isPiece in pieces) world.Send(group, new byte[40], isPiece: isPiece);
        world.Send(group, new byte[3000], isPiece: true);
        world.PullAll();

        foreach (RegionView view in views)
        {
            var read = new List<(ulong Number, int Count, bool IsPiece)>();
            foreach (byte[] datagram in world.Trains.SelectMany(train => train.Datagrams))
            {
                byte[] packet = Derive(datagram, view);
                var reader = new WireReader(packet.AsSpan(DatagramHeader.Length));
                reader.ReadVarint();
                while (PacketRecord.TryRead(ref reader, packet.Length, view.Number.Epoch, out PacketRecord record))
                    read.Add((record.Number, record.Count, record.IsPiece));
            }
            Assert.Equal(
                [(1, 1, false), (2, 2, false), (4, 1, true), (5, 1, true), (6, 2, false)], read[..5]);
            Assert.True(read.Count > 6);
            Assert.All(read[5..], record => Assert.Equal((8UL, 1, true), record));
        }
    }

    [Fact]
    public void ARegionWhoseMembersAreGoneDropsOut()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, receiveBuffer: 128 << 10);
        var ticket = new TicketStub();
        for (int count = 0; count < 200; count++) world.Send(group, new byte[1200]);
        world.Send(group, "last"u8.ToArray(), ticket);
        world.PullAll();
        ulong before = world.Stream(views[0]).Highest;

        world.Remove([.. views[2].Members]);
        world.PullAll();
        while (ticket.StableCalls == 0)
        {
            ulong highest = world.Stream(views[0]).Highest;
            world.AckAll();
            world.PullAll();
            Assert.True(world.Stream(views[0]).Highest > highest || ticket.StableCalls > 0);
        }
        Assert.True(world.Stream(views[0]).Highest > before);
        Assert.Equal(views[2].Members.Length, ticket.Removed);
        Assert.Equal(0, group.PendingMessages);
    }

    [Fact]
    public void WhatWaitsWhenTheStepChangesLeavesByItsViews()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, receiveBuffer: 128 << 10);
        for (int count = 0; count < 150; count++) world.Send(group, Message(count));
        world.PullAll();
        Assert.All(views, view => Assert.NotEqual(150UL, world.Stream(view).Highest));
        RegionView next = world.View(3, 23, 2, world.Nodes(30, 2), unicast: false, Hybrid);

        world.Install(2, next);
        world.Switch();
        for (int turn = 0; turn < 50; turn++)
        {
            world.PullAll();
            world.AckAll();
        }

        Assert.Equal(0, group.PendingMessages);
        foreach (RegionView view in views)
            Assert.Equal(Enumerable.Range(0, 150), Arrived(world, view).Select(bytes => BitConverter.ToInt32(bytes)));
        Assert.True(world.Counters.HybridFallbacks > 0);
        world.Trains.Clear();
        Send(world, group, "new");
        world.PullAll();
        Assert.Equal(["new"], TextsOf(Derive(Assert.Single(world.Trains).Datagrams[0], next), next));
    }

    [Fact]
    public void ARegionThatAMemberDoesNotHearGetsPacketsOfItsOwnForAMinute()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group);
        Send(world, group, "one");
        world.PullAll();
        world.Disseminator.OnCarrierWord(world.Stream(views[1]), 0, new CarrierWordBody(null), world.Now);
        world.RunFor(TimeSpan.FromMilliseconds(300));
        world.Trains.Clear();

        Send(world, group, "two");
        world.PullAll();
        Assert.Equal(2, RegionsOf(world.Trains.Single(train => train.Kind == DatagramKind.Hybrid)));
        Assert.Equal(views[1].Number.Counter, Assert.Single(world.DataTrains).Headers[0].ViewCounter);

        world.AckAll();
        world.RunFor(TimeSpan.FromSeconds(61));
        world.Trains.Clear();
        Send(world, group, "three");
        world.PullAll();
        Assert.Equal(3, RegionsOf(Assert.Single(world.Trains)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(64)]
    public void MessagesOfAllLengthsArriveWholeInEachRegion(int trainDatagrams)
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group, trainDatagrams: trainDatagrams);
        var random = new Random(5);
        var sent = new List<byte[]>();
        for (int count = 0; count < 400; count++)
        {
            var bytes = new byte[random.Next(20) == 0 ? random.Next(20_000) : random.Next(4) * 40];
            random.NextBytes(bytes);
            sent.Add(bytes);
            world.Send(group, bytes);
            if (count % 90 == 0) world.PullAll();
        }
        world.PullAll();

        Assert.All(world.Trains, train => Assert.Equal(DatagramKind.Hybrid, train.Kind));
        foreach (RegionView view in views) Assert.Equal(sent, Arrived(world, view));
        Assert.Equal(sent, world.Own.Select(own => own.Bytes));
    }

    [Fact]
    public void SendingAllocatesNothing()
    {
        SendWorld world = World(out RegionView[] views, out GroupSender group);
        world.Keeps = false;
        var source = new SourceStub(0, 64);
        group.AddSource(source);
        void Round()
        {
            source.Ready = 500;
            group.Signal(source, world.Now);
            world.PullAll();
            foreach (RegionView view in views) world.Ack(world.Stream(view), world.Stream(view).Highest);
        }

        for (int round = 0; round < 20; round++) Round();
        Assert.Equal(0, AllocatedBytes.Of(Round));
        Assert.True(world.Counters.HybridPackets > 20);
    }

    private static byte[] Message(int number)
    {
        var bytes = new byte[1200];
        BitConverter.TryWriteBytes(bytes, number);
        return bytes;
    }

    private static void Send(SendWorld world, GroupSender group, string text) =>
        world.Send(group, System.Text.Encoding.ASCII.GetBytes(text));

    private static SendWorld World(
        out RegionView[] views, out GroupSender group, int receiveBuffer = 64 << 20, bool lastByUnicast = false,
        int trainDatagrams = 64, bool lastIsMerged = false, int lastMembers = 2)
    {
        var world = new SendWorld(receiveBuffer: receiveBuffer, trainDatagrams: trainDatagrams);
        GroupInfo[] others = [.. Enumerable.Range(10, 200).Select(counter => SendWorld.Group((uint)counter))];
        GroupInfo first = SendWorld.Group(1);
        views =
        [
            world.View(1, 21, 1, world.Nodes(1, 3), unicast: false, first, Hybrid, others[0]),
            world.View(2, 22, 1, world.Nodes(20, 2), unicast: false, Hybrid, others[1]),
            world.View(3, 23, 1, world.Nodes(30, lastMembers), lastByUnicast, Hybrid),
        ];
        if (lastIsMerged)
        {
            RegionView view = views[2];
            var region = new RegionInfo(view.Region.Id, [Hybrid.Id, others[2].Id]);
            views[2] = new RegionView(
                view.Number, region, view.FirstStep, view.Members, view.Multicast, replication: 5,
                [[Hybrid.Id], [others[2].Id]]);
        }
        world.Begin([first, Hybrid, others[0], others[1]], views);
        group = world.Open(Hybrid);
        return world;
    }

    private static byte[] Derive(byte[] hybrid, RegionView view)
    {
        var place = new byte[DatagramHeader.MaxDatagram];
        DatagramHeader.TryRead(hybrid, out DatagramHeader header);
        Assert.Equal(
            RejectReason.None,
            HybridPacket.TryRead(header, hybrid, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records));
        var reader = new WireReader(regions);
        while (reader.Remaining > 0)
        {
            HybridRegion region = HybridRegion.Read(ref reader, header.HasPayloadChecksum);
            if ((region.ViewTag, region.ViewCounter) != (view.Number.Tag, view.Number.Counter)) continue;
            int length = HybridPacket.Derive(header, region, view.Number.Epoch, records, place);
            Assert.InRange(length, 1, 1372);
            Assert.True(DatagramHeader.TryRead(place.AsSpan(0, length), out DatagramHeader own) == RejectReason.None
                && own.PayloadIsIntact(place.AsSpan(0, length)));
            return place[..length];
        }
        return [];
    }

    private static int RegionsOf(SentTrain train)
    {
        HybridPacket.TryRead(
            train.Headers[0], train.Datagrams[0], out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> _);
        var reader = new WireReader(regions);
        int count = 0;
        for (; reader.Remaining > 0; count++) HybridRegion.Read(ref reader, train.Headers[0].HasPayloadChecksum);
        return count;
    }

    private static IEnumerable<string> TextsOf(byte[] packet, RegionView view)
    {
        var joined = new Dictionary<ulong, byte[]>();
        Read(packet, view, joined);
        return joined.OrderBy(pair => pair.Key).Select(pair => System.Text.Encoding.ASCII.GetString(pair.Value));
    }

    // The messages of all packets of a view, joined from fragments, in the order of their numbers.
    private static List<byte[]> Arrived(SendWorld world, RegionView view)
    {
        var joined = new Dictionary<ulong, byte[]>();
        foreach (SentTrain train in world.Trains)
        {
            for (int index = 0; index < train.Datagrams.Count; index++)
            {
                DatagramHeader header = train.Headers[index];
                if (header.Kind == DatagramKind.Hybrid) Read(Derive(train.Datagrams[index], view), view, joined);
                else if (header.Kind == DatagramKind.Data && header.ViewCounter == view.Number.Counter)
                    Read(train.Datagrams[index], view, joined);
            }
        }
        return [.. joined.OrderBy(pair => pair.Key).Select(pair => pair.Value)];
    }

    private static void Read(byte[] packet, RegionView view, Dictionary<ulong, byte[]> joined)
    {
        if (packet.Length == 0) return;
        var reader = new WireReader(packet.AsSpan(DatagramHeader.Length));
        reader.ReadVarint();
        while (PacketRecord.TryRead(ref reader, packet.Length, view.Number.Epoch, out PacketRecord record))
        {
            if (view.Region.Groups[record.GroupIndex] != Hybrid.Id) continue;
            for (int index = 0; index < record.Count; index++)
            {
                int length = record.Bytes.Length / record.Count;
                ulong number = record.Number + (ulong)index;
                if (!joined.TryGetValue(number, out byte[]? message))
                    joined.Add(number, message = new byte[record.MessageLength]);
                record.Bytes.Slice(index * length, length).CopyTo(message.AsSpan(record.FragmentOffset));
            }
        }
        Assert.True(reader.IsAtEnd);
    }
}
