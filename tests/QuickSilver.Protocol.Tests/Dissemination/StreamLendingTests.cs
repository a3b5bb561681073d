using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>When a stream's packets are lent, which of them, and what the notes say.</summary>
public sealed class StreamLendingTests
{
    private const int Long = 8000;
    private const int Longest = 65_000;
    private const int ShortestLent = 4 << 10;
    private const int MessagesInTrain = 2048;
    private const int PacketsInTrain = 8;

    [Fact]
    public void PacketsAreLentWhenEveryMemberButTheSenderReads()
    {
        var lend = new LendWorld(members: 4);
        lend.Open(2);
        Assert.False(lend.Lends());
        lend.Open(3);
        Assert.False(lend.Lends());
        lend.Open(4);
        Assert.True(lend.Lends());
    }

    [Fact]
    public void AReaderThatLeavesMakesTheStreamSendUntilItIsBack()
    {
        var lend = new LendWorld();
        lend.Open();
        Assert.True(lend.Lends());
        lend.Memory.Leave(lend.Key(3));
        Assert.False(lend.Lends());
        lend.Open(3);
        Assert.True(lend.Lends());
    }

    [Fact]
    public void ARemovedMemberNeedNotRead()
    {
        var lend = new LendWorld(members: 4);
        lend.Open(2, 3);
        Assert.False(lend.Lends());
        uint changes = lend.Memory.ReaderChanges;
        lend.World.Remove(lend.View.Members[3]);
        Assert.True(lend.Lends());
        Assert.Equal(changes, lend.Memory.ReaderChanges);
    }

    [Fact]
    public void ReadersAreLookedUpOnlyWhenSomethingHasChanged()
    {
        var lend = new LendWorld();
        lend.Open();
        Assert.True(lend.Lends());
        int asked = lend.Memory.ReadersAsked;
        for (int train = 0; train < 50; train++) lend.Send(5000);
        Assert.Equal(asked, lend.Memory.ReadersAsked);
        lend.Open(2);
        Assert.True(lend.Lends());
        Assert.Equal(asked + 2, lend.Memory.ReadersAsked);
    }

    [Fact]
    public void NotesNameEachPacketsPlaceAndTheMessagesAreThere()
    {
        var lend = new LendWorld(blocks: 32);
        lend.Open();
        SentTrain[] trains = lend.Send(5000, count: 41);

        Assert.All(
            trains,
            static train => Assert.Equal((DatagramKind.Note, PriorityClass.Data), (train.Kind, train.Priority)));
        Assert.All(
            trains,
            static train => Assert.Equal(TrainRoute.Region, train.Route));
        ulong sequence = 0;
        foreach (SentTrain train in trains)
        {
            byte[] datagram = Assert.Single(train.Datagrams);
            DatagramHeader header = Assert.Single(train.Headers);
            NoteBody[] notes = LendWorld.Notes(datagram);
            Assert.InRange(notes.Length, 1, PacketsInTrain);
            Assert.Equal(NoteList.DatagramLength(notes.Length), datagram.Length);
            Assert.Equal((sequence + 1, lend.World.Self.Number.Key), (header.Sequence, header.Sender));
            foreach (NoteBody note in notes)
            {
                sequence++;
                Assert.True(lend.Stream.TryGetPacket(sequence, out Slice packet));
                Assert.True(lend.Memory.TryLocate(packet, out NoteBody place));
                Assert.Equal(place, note);
                Assert.Equal(RejectReason.None, DatagramHeader.TryRead(packet.Span, out DatagramHeader lent));
                Assert.Equal(packet.Length, lent.TotalLength);
                Assert.Equal((DatagramKind.Data, sequence, header.Sender), (lent.Kind, lent.Sequence, lent.Sender));
                Assert.Equal((header.ViewTag, header.ViewCounter), (lent.ViewTag, lent.ViewCounter));
            }
        }
        Assert.Contains(trains, static train => LendWorld.Notes(train.Datagrams[0]).Length == PacketsInTrain);
        var model = new StreamModel(lend.View);
        model.Take(lend.Packets);
        Assert.Equal(41, model.Messages.Count);
        Assert.All(model.Messages, static (message, index) =>
            Assert.Equal(
                ((ulong)index + 1, 5000, (byte)(41 * (index + 3))),
                (message.Number, message.Bytes.Length, message.Bytes[41])));
        Assert.Equal(sequence, lend.World.Counters.PacketsSent);
        Assert.Equal(sequence, lend.World.Counters.PacketsLent);
        Assert.Equal((ulong)trains.Length, lend.World.Counters.DataDatagrams);
        Assert.Equal(41UL, lend.World.Counters.MessageCopies);
    }

    [Fact]
    public void ALonePacketIsLentWhenItIsLongAndSentWhenItIsShort()
    {
        var lend = new LendWorld(slotBytes: Long);
        lend.Open();
        int lent = 0, sent = 0;
        for (int bytes = ShortestLent - 80; bytes <= ShortestLent; bytes++)
        {
            SentTrain train = Assert.Single(lend.Send(bytes));
            Assert.True(lend.Stream.TryGetPacket(lend.Stream.Highest, out Slice packet));
            bool isLent = packet.Length >= ShortestLent;
            Assert.Equal(isLent ? DatagramKind.Note : DatagramKind.Data, train.Kind);
            if (isLent) lent++;
            else sent++;
            if (!isLent) Assert.True(packet.Span.SequenceEqual(Assert.Single(train.Datagrams)));
            lend.World.AckAll();
        }
        Assert.True(lent > 5 && sent > 5);
        Assert.Equal((ulong)lent, lend.World.Counters.PacketsLent);
    }

    [Fact]
    public void SeveralPacketsAreLentHoweverShort()
    {
        var lend = new LendWorld(slotBytes: 512);
        lend.Open();
        SentTrain train = Assert.Single(lend.Send(600));
        Assert.Equal((DatagramKind.Note, 1), (train.Kind, train.Datagrams.Count));
        Assert.Equal(2, LendWorld.Notes(train.Datagrams[0]).Length);
    }

    [Fact]
    public void PacketsAreSentWhenNoBlockIsFreeAndLentAgainWhenOneIs()
    {
        var lend = new LendWorld(slotBytes: Long, blocks: 2);
        lend.Open();
        SentTrain[] trains = lend.Send(7900, count: 40);

        int notes = lend.NoteTrains.Sum(static train => LendWorld.Notes(train.Datagrams[0]).Length);
        Assert.Equal(2 * (BufferPool.ChunkBytes / Long), notes);
        Assert.Equal((ulong)notes, lend.World.Counters.PacketsLent);
        Assert.All(
            trains.SkipWhile(static train => train.Kind == DatagramKind.Note),
            static train => Assert.Equal(DatagramKind.Data, train.Kind));
        Assert.Equal(2, lend.Memory.Outstanding);
        var model = new StreamModel(lend.View);
        model.Take(lend.Packets);
        Assert.Equal(40, model.Messages.Count);

        lend.World.AckAll();
        Assert.True(lend.Lends());
    }

    [Fact]
    public void BlocksComeHomeWithTheirLastPacketThatIsStable()
    {
        var lend = new LendWorld(slotBytes: Long);
        lend.Open();
        lend.Send(7900, count: 20);
        Assert.InRange(lend.Stream.Highest, 17UL, 24UL);
        foreach ((ulong stable, int blocks) in ((ulong, int)[])[(0, 3), (7, 3), (8, 2), (15, 2), (16, 1)])
        {
            lend.World.Ack(lend.Stream, stable);
            Assert.Equal(blocks, lend.Memory.Outstanding);
        }
        lend.World.AckAll();
        lend.World.PullAll();
        Assert.Equal(0, lend.Memory.Outstanding);
        lend.World.Disseminator.Close();
        Assert.Equal(0, lend.World.Pool.OutstandingChunks);
    }

    [Fact]
    public void BlocksComeHomeWhenTheNodeClosesInTheMiddle()
    {
        var lend = new LendWorld(slotBytes: Long);
        lend.Open();
        lend.Send(7900, count: 30);
        Assert.NotEqual(0, lend.Memory.Outstanding);
        lend.World.Disseminator.Close();
        Assert.Equal(0, lend.Memory.Outstanding);
        Assert.Equal(0, lend.World.Pool.OutstandingChunks);
    }

    [Fact]
    public void WhatWasLentIsSentAgainToWhoReadsNoMoreAndStaysAsItWas()
    {
        var lend = new LendWorld();
        lend.Open();
        lend.Send(5000);
        byte[][] packets = [.. lend.Packets.Select(static train => train.Datagrams[0])];
        lend.Memory.Leave(lend.Key(3));
        Assert.True(lend.World.Nak(lend.Stream, lend.View.Members[2], wide: false, new SequenceRange(2, 4)));
        lend.World.PullAll();

        SentTrain repair = lend.World.Trains[^1];
        Assert.Equal((DatagramKind.Repair, TrainRoute.Unicast, 3U), (repair.Kind, repair.Route, repair.To.Address));
        Assert.Equal([2UL, 3UL], repair.Headers.Select(static header => header.Sequence));
        for (int index = 0; index < 2; index++)
            Assert.Equal(packets[index + 1][DatagramHeader.Length..], repair.Datagrams[index][DatagramHeader.Length..]);
        Assert.Equal(packets, lend.Packets.Select(static train => train.Datagrams[0]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhoReadsWhatWasLentIsToldAgainWhereItLies(bool wide)
    {
        var lend = new LendWorld();
        lend.Open();
        SentTrain first = lend.Send(5000)[0];
        Assert.True(lend.World.Nak(lend.Stream, lend.View.Members[2], wide, new SequenceRange(2, 4)));
        lend.World.PullAll();

        SentTrain repair = lend.World.Trains[^1];
        Assert.Equal((DatagramKind.RepairNote, PriorityClass.Repair), (repair.Kind, repair.Priority));
        Assert.Equal(wide ? TrainRoute.Region : TrainRoute.Unicast, repair.Route);
        Assert.Equal([2UL, 3UL], repair.Headers.Select(static header => header.Sequence));
        Assert.All(repair.Headers, static header => Assert.False(header.IsFromPeer));
        Assert.Equal(LendWorld.Notes(first.Datagrams[0])[1..3], repair.Datagrams.Select(LendWorld.Note));
        Assert.Equal(2UL, lend.World.Counters.Retransmissions);
    }

    [Fact]
    public void WhatWasSentBeforeAllReadIsSentAgainAsItIs()
    {
        var lend = new LendWorld();
        Assert.False(lend.Lends());
        lend.Open();
        Assert.True(lend.World.Nak(lend.Stream, lend.View.Members[2], wide: true, new SequenceRange(1, 3)));
        lend.World.PullAll();
        Assert.Equal((DatagramKind.Repair, 2), (lend.World.Trains[^1].Kind, lend.World.Trains[^1].Datagrams.Count));
    }

    [Theory]
    [InlineData(10, 12_000)]
    [InlineData(100, 12_000)]
    [InlineData(2000, 400)]
    public void ATrainEndsAfterManyMessages(int bytes, int count)
    {
        var lend = new LendWorld(slotBytes: Long, blocks: 64);
        lend.Open();
        SentTrain[] trains = lend.Send(bytes, count);
        int[] messages = [.. lend.Packets.Select(static train => MessagesIn(train.Datagrams[0]))];
        Assert.Equal(count, messages.Sum());

        int next = 0;
        Assert.True(trains.Length > 3);
        foreach (SentTrain train in trains[..^1])
        {
            int packets = lend.PacketsOf(train.Kind, Assert.Single(train.Datagrams)).Count();
            int[] packed = messages[next..(next += packets)];
            Assert.True(
                packets == PacketsInTrain || packed.Sum() >= MessagesInTrain,
                $"a train of {packed.Sum()} messages");
            Assert.True(packed[..^1].Sum() < MessagesInTrain, $"a train went on after {packed[..^1].Sum()} messages");
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void LonePacketsLieBehindEachOtherHoweverLongAFullOneMayBe(bool reads)
    {
        var lend = new LendWorld(slotBytes: Longest, blocks: 64, shares: reads);
        if (reads) lend.Open();
        for (int message = 0; message < 200; message++)
            Assert.Equal(DatagramKind.Data, Assert.Single(lend.Send(1000)).Kind);
        // The first is not expected to be alone.
        Assert.Equal(reads ? 1 : 0, lend.Memory.Outstanding);
        // 57 in each, and room for a longer one is left.
        Assert.InRange(lend.World.Pool.OutstandingChunks, 4, 5);

        int expected = 0;
        var model = new StreamModel(lend.View);
        model.Take(lend.Packets);
        Assert.All(
            model.Messages, message => Assert.Equal(((ulong)++expected, 1000), (message.Number, message.Bytes.Length)));
        Assert.Equal(200, expected);
        lend.World.AckAll();
        lend.World.PullAll();
        Assert.Equal(0, lend.World.Pool.OutstandingChunks);
    }

    [Fact]
    public void ASourceThatHasMoreThanWasExpectedFillsTheChunkAndIsLentWhatFollows()
    {
        var lend = new LendWorld(slotBytes: Longest, blocks: 64);
        lend.Open();
        var source = new SourceStub(0, 1000) { Mark = 7 };
        lend.Sender.AddSource(source);
        foreach (int ready in (int[])[1, 1, 1, 400, 1, 1])
        {
            source.Ready = ready;
            lend.Sender.Signal(source, lend.World.Now);
            lend.World.PullAll();
        }

        SentTrain[] trains = [
            .. lend.World.Trains.Where(
                static train => train.Kind == DatagramKind.Data || !LendWorld.Note(train.Datagrams[0]).IsOffer)];
        int burst = Array.FindIndex(trains, 3, static train => train.Segment > 2000);
        Assert.True(burst is 3, $"the burst began with train {burst}");
        Assert.Equal(DatagramKind.Data, trains[3].Kind);
        Assert.InRange(trains[3].Segment, BufferPool.ChunkBytes - 3000, BufferPool.ChunkBytes - 2000);
        Assert.Equal(DatagramKind.Note, trains[4].Kind);
        Assert.Equal(DatagramKind.Data, trains[^1].Kind);
        var model = new StreamModel(lend.View);
        model.Take(lend.Packets);
        Assert.Equal(
            Enumerable.Range(1, 405).Select(static number => (ulong)number),
            model.Messages.Select(static message => message.Number));
        Assert.All(
            model.Messages,
            static message => Assert.Equal((1000, (byte)7), (message.Bytes.Length, message.Bytes[999])));
    }

    [Fact]
    public void LendingAllocatesNothing()
    {
        var lend = new LendWorld(slotBytes: Long, blocks: 8);
        lend.Open();
        lend.World.Keeps = false;
        var payload = new SendPayload(new byte[3000]);
        Run(lend, payload);
        ulong before = lend.World.Counters.PacketsLent;
        Assert.Equal(0, AllocatedBytes.Of(() => Run(lend, payload)));

        Assert.True(lend.World.Counters.PacketsLent > before + 1000);
        Assert.True(lend.World.Counters.PacketsSent > lend.World.Counters.PacketsLent, "the blocks ran out");
        lend.World.AckAll();
        lend.World.PullAll();
        lend.World.Disseminator.Close();
        Assert.Equal(0, lend.Memory.Outstanding);
        Assert.Equal(0, lend.World.Pool.OutstandingChunks);
        Assert.Equal(0, lend.World.Alarms.Count);
    }

    // Bursts; every few are stable only when the blocks have run out, and now and then a reader leaves and comes back.
    private static void Run(LendWorld lend, SendPayload payload)
    {
        for (int burst = 0; burst < 400; burst++)
        {
            for (int message = 0; message < 20; message++) lend.World.Send(lend.Sender, payload);
            lend.World.Now += TimeSpan.FromMilliseconds(1);
            lend.World.PullAll();
            if (burst % 100 == 50) lend.Memory.Leave(lend.Key(2));
            if (burst % 100 == 60) lend.Memory.Open(lend.Key(2));
            if (burst % 20 < 10 || burst % 20 == 19)
                lend.World.Ack(lend.Stream, lend.Stream.Highest, lend.Stream.Highest);
        }
    }

    private static int MessagesIn(byte[] packet)
    {
        var reader = new WireReader(packet.AsSpan(DatagramHeader.Length));
        reader.ReadVarint();
        int messages = 0;
        while (PacketRecord.TryRead(ref reader, packet.Length, SendWorld.ServerEpoch, out PacketRecord record))
        {
            if (!record.IsFragment || record.FragmentOffset + record.Bytes.Length == record.MessageLength)
                messages += record.Count;
        }
        return messages;
    }
}
