using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Timed.Groups;
using QuickSilver.Protocol.Timed.Receiving;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Timed;

/// <summary>What a timed group's engines make of good and bad datagrams.</summary>
public sealed class TimedEngineTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void ASteadyStreamAllocatesNothing()
    {
        var world = new TimedWorld();
        world.Sender.Keeps = world.Receiver.Keeps = false;
        Stream(world, 3_000);

        Assert.Equal(0, AllocatedBytes.Of(() => Stream(world, 2_000)));
        Assert.True(world.Receiver.Counters.Messages >= 5_000);
        Assert.Empty(world.Receiver.Lost);
    }

    [Fact]
    public void AllThatIsHeldComesHome()
    {
        var world = new TimedWorld(bytes: 5_000);
        world.Say(5);
        List<byte[]> sent = Flow(world);
        for (int index = 0; index < sent.Count; index += 2) world.Receiver.Take(sent[index], world.Nodes[0]);
        Assert.True(world.Receiver.Counters.HeldBytes > 0);
        world.Receiver.Engine.Close();
        world.Sender.Engine.Close();
        world.World.Disseminator.Close();

        Assert.Equal(0, world.Receiver.Counters.HeldBytes);
        Assert.Equal(0, world.World.Pool.OutstandingChunks);
        Assert.Equal(0, world.World.Alarms.Count);
    }

    [Theory]
    [InlineData(1UL)]
    [InlineData(2UL)]
    [InlineData(3UL)]
    public void AMessageOfEightyFragmentsIsJoinedInAnyOrder(ulong seed)
    {
        var world = new TimedWorld(bytes: 80 * 1020);
        world.Say(2);
        List<byte[]> packets = Flow(world, DatagramKind.TimedData);
        Assert.InRange(packets.Count, 160, 166);
        var random = new SeededRandom(seed);
        // The first packet comes first, so that the receiver knows where it starts.
        for (int index = packets.Count - 1; index > 1; index--)
        {
            int other = 1 + (int)random.NextBelow((ulong)index);
            (packets[index], packets[other]) = (packets[other], packets[index]);
        }
        foreach (byte[] packet in packets) world.Receiver.Take(packet, world.Nodes[0]);

        Assert.Equal([1UL, 2UL], world.Receiver.Got.Select(static got => got.Number));
        Assert.All(world.Receiver.Got, static got => Assert.Equal(80 * 1020, got.Bytes.Length));
        Assert.Equal(2UL, world.Receiver.Counters.Joined);
    }

    [Fact]
    public void AMemberThatStartsLateStartsWithItsStep()
    {
        var world = new TimedWorld();
        world.Say(5);
        List<byte[]> sent = Flow(world, DatagramKind.TimedData);
        // Only the last packet comes: the four before it are of the member's step, and lost.
        world.Receiver.Take(sent[4], world.Nodes[0]);
        Assert.Empty(world.Receiver.Got);
        world.Pass(4 * Second);

        Assert.Equal([5UL], world.Receiver.Got.Select(static got => got.Number).Distinct());
        Assert.Equal([(1UL, 4UL)], world.Receiver.Lost);
    }

    [Fact]
    public void WhatWaitsBehindAHoleGoesOnBeforeItIsTooOld()
    {
        var world = new TimedWorld(new TimedSettings { TimeToLive = Second, PacketsPerSecond = 60 });
        world.Say(3);
        List<byte[]> sent = Flow(world, DatagramKind.TimedData);
        world.Receiver.Take(sent[0], world.Nodes[0]);
        world.Pass(Second / 4);
        world.Receiver.Take(sent[2], world.Nodes[0]);
        world.Pass(Second * 0.9);
        Assert.Single(world.Receiver.Got);
        world.Pass(Second / 5);

        Assert.Equal([1UL, 3UL], world.Receiver.Got.Select(static got => got.Number));
        Assert.Equal([(2UL, 1UL)], world.Receiver.Lost);
    }

    [Fact]
    public void GoneIsIgnoredForWhatIsHeld()
    {
        var world = new TimedWorld();
        world.Say(4);
        List<byte[]> sent = Flow(world, DatagramKind.TimedData);
        world.Receiver.Take(sent[0], world.Nodes[0]);
        world.Receiver.Take(sent[2], world.Nodes[0]);
        world.Receiver.Take(sent[3], world.Nodes[0]);
        RejectReason reason = world.Receiver.Take(Gone(world, 5), world.Nodes[0]);

        Assert.Equal(RejectReason.None, reason);
        Assert.Equal([1UL, 3UL, 4UL], world.Receiver.Got.Select(static got => got.Number));
        Assert.Equal([(2UL, 1UL)], world.Receiver.Lost);
        // Another member's word on that sender's packets is a word on its own.
        world.Receiver.Take(Gone(world, 1_000), world.Nodes[2]);
        world.Say(1);
        world.Receiver.Take(Flow(world, DatagramKind.TimedData)[0], world.Nodes[0]);
        Assert.Equal(5UL, world.Receiver.Got[^1].Number);
    }

    [Fact]
    public void ARequestForWhatWasNeverSentIsRefused()
    {
        var world = new TimedWorld();
        world.Say(3);
        Flow(world);

        Assert.Equal(RejectReason.NeverSent, world.Sender.Take(Nak(world, new SequenceRange(2, 5)), world.Nodes[1]));
        Assert.Equal(RejectReason.None, world.Sender.Take(Nak(world, new SequenceRange(2, 4)), world.Nodes[1]));
        Assert.Equal(
            2, world.Collect().Count(static datagram => KindOf(datagram) == DatagramKind.TimedRepair));
    }

    [Fact]
    public void AFloodOfRequestsMeetsABudget()
    {
        var world = new TimedWorld();
        world.Say(10);
        Flow(world);
        byte[] nak = Nak(world, new SequenceRange(1, 11));
        int repairs = 0;
        for (int index = 0; index < 10_000; index++)
        {
            world.Sender.Take(nak, world.Nodes[1]);
            if (index % 100 != 0) continue;
            repairs += world.Collect().Count(static datagram => KindOf(datagram) == DatagramKind.TimedRepair);
        }

        Assert.True(world.Sender.Counters.NaksOverBudget > 7_000);
        // All within one round trip of the group.
        Assert.Equal(10, repairs);
    }

    [Fact]
    public void WhatIsForgottenIsAnnouncedAsGoneOnce()
    {
        var world = new TimedWorld();
        world.Say(3);
        Flow(world);
        world.Pass(5 * Second);
        for (int index = 0; index < 20; index++) world.Sender.Take(Nak(world, new SequenceRange(1, 4)), world.Nodes[1]);
        List<byte[]> answers = world.Collect().FindAll(static datagram => KindOf(datagram) == DatagramKind.TimedGone);

        Assert.Single(answers);
        DatagramHeader.TryRead(answers[0], out DatagramHeader header);
        Assert.Equal(4UL, header.Sequence);
        Assert.Equal(0UL, world.Sender.Counters.Repairs);
    }

    [Fact]
    public void OnePacketFarAheadIsNotBelieved()
    {
        var world = new TimedWorld();
        world.Say(1);
        byte[] packet = Flow(world, DatagramKind.TimedData)[0];
        world.Receiver.Take(packet, world.Nodes[0]);

        byte[] far = Renumber(world, packet, 1_000_000);
        Assert.Equal(RejectReason.BeyondWindow, world.Receiver.Take(far, world.Nodes[0]));
        Assert.Empty(world.Receiver.Lost);
        // Two that are near each other are: the receiver was away for long.
        Assert.Equal(RejectReason.None, world.Receiver.Take(Renumber(world, packet, 1_000_001), world.Nodes[0]));
    }

    [Fact]
    public void BadBodiesAreRefusedAndChangeNothing()
    {
        var world = new TimedWorld();
        world.Say(1);
        byte[] packet = Flow(world, DatagramKind.TimedData)[0];
        foreach (DatagramKind kind in Enum.GetValues<DatagramKind>().Where(
            static kind => DatagramKinds.ModeOf(kind) == 2))
        {
            byte[] bad = new byte[DatagramHeader.Length + 3];
            bad.AsSpan(DatagramHeader.Length).Fill(0xFF);
            Header(world, kind, 1).WriteTo(bad);
            Assert.Equal(RejectReason.Malformed, world.Receiver.Take(bad, world.Nodes[0]));
        }
        byte[] cut = packet[..^101];
        Header(world, DatagramKind.TimedData, 1).WriteTo(cut);

        Assert.Equal(RejectReason.Malformed, world.Receiver.Take(cut, world.Nodes[0]));
        Assert.Empty(world.Receiver.Engine.Groups[0].Receivers);
    }

    [Fact]
    public void WithoutMemoryPacketsAreDroppedAndAskedForLater()
    {
        var world = new TimedWorld(bytes: 900);
        var sent = new List<byte[]>();
        for (int index = 0; index < 200; index++)
        {
            world.Say(1);
            sent.AddRange(world.Collect());
            world.Pass(TimeSpan.FromMilliseconds(1));
        }
        world.World.Memory.IsUsedUp = true;
        int refused = 0;
        foreach (byte[] datagram in sent)
        {
            RejectReason reason = world.Receiver.Take(datagram, world.Nodes[0]);
            if (reason != RejectReason.None) Assert.Equal(RejectReason.NoRoom, reason);
            if (reason != RejectReason.None) refused++;
        }
        world.World.Memory.IsUsedUp = false;
        for (int turn = 0; turn < 100; turn++)
        {
            world.Pass(TimeSpan.FromMilliseconds(10));
            while (world.Receiver.TryNext(out Train train)) world.Sender.Take(train.Span, world.Nodes[1]);
            world.Carry();
        }

        Assert.InRange(refused, 1, 200);
        Assert.Equal(200, world.Receiver.Got.Count);
        Assert.Empty(world.Receiver.Lost);
    }

    // Of three orders one is over, one waits, and one is due.
    [Fact]
    public void AnOrderThatIsOverTakesNoOtherWithIt()
    {
        var world = new TimedWorld();
        world.Say(1);
        world.Carry();
        world.Pass(TimeSpan.FromMilliseconds(2_900));
        world.Say(2);
        world.Carry();
        TimedGroup group = world.Receiver.Engine.Groups[0];
        TimedReceiver receiver = group.Find(world.Nodes[0].Number.Key)!;
        Order(1, roundTrip: 1);
        Order(2, roundTrip: 200);
        Order(3, roundTrip: 1);
        world.Pass(TimeSpan.FromMilliseconds(150));
        Assert.Equal([3], Repaired());
        world.Pass(TimeSpan.FromMilliseconds(1_200));

        Assert.Equal([2], Repaired());
        Assert.Equal(2UL, world.Receiver.Counters.PartnerRepairs);

        void Order(ulong sequence, int roundTrip)
        {
            var status = new TimedStatusBody
            {
                Group = TimedWorld.Group.Id.Counter,
                Number = 3,
                Place = receiver.Window[3].Place!.Value,
                RoundTrip = TimeSpan.FromMilliseconds(roundTrip),
                Oldest = 1,
            };
            receiver.OnStatus(3, status, world.Now);
            Span<byte> bytes = stackalloc byte[32];
            var writer = new WireWriter(bytes);
            SequenceRangeList.Write(ref writer, [new SequenceRange(sequence, sequence + 1)]);
            var reader = new WireReader(bytes[..writer.Written]);
            group.Partners.Order(receiver, SequenceRangeList.Read(ref reader, cap: 1), world.Now);
        }

        List<ulong> Repaired()
        {
            var repaired = new List<ulong>();
            while (world.Receiver.TryNext(out Train train))
            {
                Assert.Equal(RejectReason.None, DatagramHeader.TryRead(train.Span, out DatagramHeader header));
                if (header.Kind == DatagramKind.TimedRepair) repaired.Add(header.Sequence);
            }
            return repaired;
        }
    }

    private static void Stream(TimedWorld world, int messages)
    {
        for (int index = 0; index < messages; index++)
        {
            world.Say(1);
            world.Carry();
            world.Pass(TimeSpan.FromMilliseconds(20));
        }
    }

    // What the sender sends for what it has, with time for its bucket.
    private static List<byte[]> Flow(TimedWorld world, DatagramKind? only = null)
    {
        var sent = new List<byte[]>();
        for (int turn = 0; turn < 40; turn++)
        {
            sent.AddRange(world.Collect());
            world.Pass(TimeSpan.FromMilliseconds(1));
        }
        return only is null ? sent : sent.FindAll(datagram => KindOf(datagram) == only);
    }

    private static DatagramKind KindOf(byte[] datagram)
    {
        DatagramHeader.TryRead(datagram, out DatagramHeader header);
        return header.Kind;
    }

    private static DatagramHeader Header(TimedWorld world, DatagramKind kind, ulong sequence) => new()
    {
        Kind = kind,
        Cluster = 4711,
        ViewTag = world.View.Number.Tag,
        ViewCounter = world.View.Number.Counter,
        Sender = world.Nodes[0].Number.Key,
        Sequence = sequence,
    };

    // The same packet under another number, as a lying sender would write it.
    private static byte[] Renumber(TimedWorld world, byte[] packet, ulong sequence)
    {
        byte[] body = packet[DatagramHeader.Length..];
        Epoch epoch = world.View.Number.Epoch;
        Assert.True(TimedHead.TryRead(body, epoch, 1, out TimedHead head, out int length));
        return WireWord(
            Header(world, DatagramKind.TimedData, sequence),
            (ref WireWriter writer) =>
            {
                head.WriteTo(ref writer, epoch, sequence);
                writer.WriteBytes(body.AsSpan(length));
            });
    }

    private static byte[] Gone(TimedWorld world, ulong oldest) => WireWord(
        Header(world, DatagramKind.TimedGone, oldest),
        static (ref WireWriter writer) => TimedGoneBody.Write(ref writer, TimedWorld.Group.Id.Counter, []));

    private static byte[] Nak(TimedWorld world, SequenceRange range) => WireWord(
        Header(world, DatagramKind.TimedNak, world.Nodes[0].Number.Key),
        (ref WireWriter writer) => TimedNakBody.Write(
            ref writer, TimedWorld.Group.Id.Counter, false, 0, default, [range]));

    private static byte[] WireWord(DatagramHeader header, Wire.WireSamples.BodyWriter body) =>
        Wire.WireSamples.Datagram(header, body);
}
