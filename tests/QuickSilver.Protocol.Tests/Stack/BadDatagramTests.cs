using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>
/// What a whole node does with bad datagrams: it counts them by their reason, drops them, answers nothing, and goes on
/// as if they had not come.
/// </summary>
public sealed class BadDatagramTests
{
    private readonly StackWorld _world = new(3);
    private readonly RegionView _view;
    private readonly StackNode _node;

    public BadDatagramTests()
    {
        _world.JoinAll("news");
        _node = _world.Nodes[0];
        _node.Say("news", "one");
        _world.Nodes[1].Say("news", "two");
        _world.RunFor(TimeSpan.FromSeconds(1));
        _view = _node.Stack.FindGroup("news")!.Regions[0];
    }

    [Fact]
    public void ADatagramShorterThanAHeaderIsRefused() =>
        Expect(RejectReason.TooShort, SocketRole.Unicast, new byte[20]);

    [Fact]
    public void AWrongMagicIsRefused() =>
        Expect(RejectReason.WrongMagic, SocketRole.Unicast, Change(Good(DatagramKind.Beacon), 0, 1));

    [Fact]
    public void AHigherVersionIsRefused() =>
        Expect(RejectReason.WrongVersion, SocketRole.Unicast, Change(Good(DatagramKind.Beacon), 2, 7));

    [Fact]
    public void ALengthBeyondTheReadIsRefused() =>
        Expect(RejectReason.WrongLength, SocketRole.Unicast, Change(Good(DatagramKind.Beacon), 7, 0xFF));

    [Fact]
    public void ADamagedHeaderIsRefused() =>
        Expect(RejectReason.HeaderChecksum, SocketRole.Unicast, Change(Good(DatagramKind.Beacon), 33, 0x40));

    [Fact]
    public void ADamagedPayloadIsRefused()
    {
        byte[] packet = Packet(1, 0);
        packet[^1] ^= 1;
        Expect(RejectReason.PayloadChecksum, SocketRole.Unicast, packet);
    }

    [Fact]
    public void ADatagramOfAnotherClusterIsRefused() =>
        Expect(RejectReason.WrongCluster, SocketRole.Unicast, Good(DatagramKind.Beacon, cluster: 1));

    [Theory]
    [InlineData(25)]
    [InlineData(99)]
    public void AnUnknownKindIsRefused(byte kind) =>
        Expect(RejectReason.UnknownKind, SocketRole.Unicast, Good((DatagramKind)kind));

    [Fact]
    public void AnUnknownKindThatMayBeIgnoredIsNotCounted() =>
        Expect(RejectReason.None, SocketRole.Unicast, Good((DatagramKind)99, ignorable: true));

    [Fact]
    public void ControlOnADataSocketIsRefused() =>
        Expect(RejectReason.WrongSocket, SocketRole.Unicast, Good(DatagramKind.Ack, body: new byte[5]));

    [Fact]
    public void DataOnTheControlSocketIsRefused() => Expect(RejectReason.WrongSocket, SocketRole.Control, Packet(1, 0));

    [Fact]
    public void ATokenOfAnUnknownViewIsRefused() =>
        Expect(
            RejectReason.UnknownView, SocketRole.Control,
            Good(DatagramKind.Token, viewCounter: 999, body: new byte[20]));

    [Fact]
    public void ASenderNobodyKnowsIsRefused() =>
        Expect(RejectReason.UnknownSender, SocketRole.Unicast, Good(DatagramKind.Beacon, sender: 0xDEAD));

    [Fact]
    public void AnAcknowledgementFromWhoIsNoMemberIsRefused() =>
        Expect(
            RejectReason.UnknownSender, SocketRole.Control,
            Good(DatagramKind.Ack, sender: 0xDEAD, body: Ack(new AckBody(1, 1, 1, 1, 0))));

    [Fact]
    public void AnAcknowledgementOfWhatWasNeverSentIsRefused() =>
        Expect(
            RejectReason.NeverSent, SocketRole.Control,
            Good(DatagramKind.Ack, body: Ack(new AckBody(1000, 1000, 1000, 1, 0))));

    [Fact]
    public void AnAcknowledgementForAnotherSenderIsRefused() =>
        Expect(
            RejectReason.NeverSent, SocketRole.Control,
            Good(DatagramKind.Ack, sequence: 0xDEAD, body: Ack(new AckBody(1, 1, 1, 1, 0))));

    [Fact]
    public void AProbeThatDidNotComeByMulticastIsRefused() =>
        Expect(RejectReason.WrongSocket, SocketRole.Unicast, Good(DatagramKind.CarrierProbe, sequence: 4));

    [Fact]
    public void AProbeWithABodyIsRefused() =>
        Expect(
            RejectReason.Malformed, SocketRole.Multicast,
            Good(DatagramKind.CarrierProbe, sequence: 4, body: new byte[1]));

    [Fact]
    public void AProbeOfWhoIsNotKnownIsRefused() =>
        Expect(
            RejectReason.UnknownSender, SocketRole.Multicast,
            Good(DatagramKind.CarrierProbe, sender: 0xDEAD, sequence: 4));

    [Fact]
    public void AWordOnCarriersThatBreaksItsFormatIsRefused() =>
        Expect(RejectReason.Malformed, SocketRole.Control, Good(DatagramKind.CarrierWord, body: new byte[2]));

    [Fact]
    public void AWordOnCarriersFromWhoIsNoMemberIsRefused() =>
        Expect(
            RejectReason.UnknownSender, SocketRole.Control,
            Good(DatagramKind.CarrierWord, sender: 0xDEAD, body: new byte[1]));

    [Fact]
    public void AWordOnCarriersForAnotherSenderIsRefused() =>
        Expect(
            RejectReason.NeverSent, SocketRole.Control,
            Good(DatagramKind.CarrierWord, sequence: 0xDEAD, body: new byte[1]));

    [Fact]
    public void ANakForWhatWasNeverSentIsRefused()
    {
        var body = new byte[NakBody.MaxLength];
        var writer = new WireWriter(body);
        NakBody.Write(ref writer, true, [new SequenceRange(500, 600)]);
        Expect(RejectReason.NeverSent, SocketRole.Control, Good(DatagramKind.Nak, body: body[..writer.Written]));
    }

    [Fact]
    public void APullForAPartitionThatIsNotIsRefused()
    {
        var body = new byte[PullBody.MaxLength];
        var writer = new WireWriter(body);
        PullBody.Write(ref writer, _world.Nodes[1].Self!.Number.Key, 5, 0, [new SequenceRange(1, 2)]);
        Expect(RejectReason.Malformed, SocketRole.Control, Good(DatagramKind.Pull, body: body[..writer.Written]));
    }

    [Theory]
    [InlineData(DatagramKind.Token)]
    [InlineData(DatagramKind.TokenAck)]
    [InlineData(DatagramKind.Ack)]
    [InlineData(DatagramKind.Nak)]
    [InlineData(DatagramKind.Pull)]
    public void ABodyThatBreaksItsFormatIsRefused(Enum kind) =>
        Expect(
            RejectReason.Malformed,
            SocketRole.Control,
            Good((DatagramKind)kind, body: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]));

    [Fact]
    public void ABeaconWithABodyIsRefused() =>
        Expect(RejectReason.Malformed, SocketRole.Unicast, Good(DatagramKind.Beacon, body: [1]));

    [Fact]
    public void ASequenceBeyondAllReasonIsRefused() =>
        Expect(RejectReason.BeyondWindow, SocketRole.Unicast, Packet(1UL << 40, 0));

    [Fact]
    public void ABeaconBeyondAllReasonIsRefused() =>
        Expect(RejectReason.BeyondWindow, SocketRole.Unicast, Good(DatagramKind.Beacon, sequence: 1UL << 40));

    [Fact]
    public void SequenceZeroIsRefused() => Expect(RejectReason.Malformed, SocketRole.Unicast, Packet(0, 0));

    [Fact]
    public void AGroupThatTheRegionHasNotIsRefused() =>
        Expect(RejectReason.Malformed, SocketRole.Unicast, Packet(2, 77));

    [Fact]
    public void APacketOfARemovedSenderIsRefused()
    {
        _node.Stack.Cluster.FindNode(_world.Nodes[1].Self!.Number.Key)!.IsRemoved = true;
        int heard = _node.Heard.Count;
        _node.Take(Packet(2, 0), SocketRole.Unicast);
        Assert.Equal(1UL, _node.Stack.Counters.Rejected[RejectReason.RemovedSender]);
        Assert.Equal(heard, _node.Heard.Count);
    }

    [Fact]
    public void ABadHeaderInATrainCostsItsOwnDatagramOnly()
    {
        byte[][] train = [Packet(2, 0), Packet(3, 0), Packet(4, 0)];
        train[1][5] ^= 1;
        ulong received = _node.Stack.Counters.PacketsReceived;
        _node.Take([.. train[0], .. train[1], .. train[2]], SocketRole.Unicast);
        Assert.Equal(1UL, _node.Stack.Counters.Rejected[RejectReason.HeaderChecksum]);
        Assert.Equal(received + 2, _node.Stack.Counters.PacketsReceived);
    }

    [Fact]
    public void AReadOfGarbageIsGivenUpSoon()
    {
        _node.Take([.. Packet(2, 0), .. new byte[20_000]], SocketRole.Unicast);
        Assert.Equal(5UL, _node.Stack.Counters.Rejected[RejectReason.WrongMagic]);
    }

    [Fact]
    public void AReplayedPacketIsADuplicateAndNothingMore()
    {
        ulong before = _node.Stack.Counters.PacketsDuplicate;
        byte[] replay = Packet(1, 0);
        Expect(RejectReason.None, SocketRole.Unicast, replay);
        Assert.Equal(before + 1, _node.Stack.Counters.PacketsDuplicate);
    }

    [Fact]
    public void MutationsOfRealTrafficNeverThrowAndTheGroupLivesOn()
    {
        var random = new SeededRandom(11);
        byte[][] seeds =
        [
            Packet(2, 0), Good(DatagramKind.Beacon, sequence: 1),
            Good(DatagramKind.Ack, body: Ack(new AckBody(1, 1, 1, 1, 0))),
            Good(DatagramKind.Token, body: new byte[30]), Good(DatagramKind.Pull, body: new byte[30]),
            Good(DatagramKind.Nak, body: new byte[30]),
        ];
        for (int round = 0; round < 20_000; round++)
        {
            byte[] datagram = [.. seeds[random.NextBelow((ulong)seeds.Length)]];
            for (ulong change = 0; change <= random.NextBelow(4); change++)
            {
                datagram[random.NextBelow((ulong)datagram.Length)] = (byte)random.NextUInt64();
            }
            // Half of them get good checksums again: damage alone is caught early, lies are what parsers must stand.
            if (random.NextBelow(2) == 0) datagram = Reseal(datagram);
            _node.Take(datagram, (SocketRole)random.NextBelow(2));
        }
        _world.RunFor(TimeSpan.FromSeconds(3));
        _node.Heard.Clear();
        _world.Nodes[2].Say("news", "still here");
        _world.RunFor(TimeSpan.FromSeconds(3));
        Assert.Contains(_node.Heard, line => line.EndsWith("still here", StringComparison.Ordinal));
    }

    private void Expect(RejectReason reason, SocketRole role, byte[] datagram)
    {
        ulong total = _node.Stack.Counters.Rejected.Total;
        ulong sent = _node.Stack.Rooms.Roots.Counters.TotalBytes;
        int heard = _node.Heard.Count;
        long cached = _node.Stack.Counters.CachedBytes;

        _node.Take(datagram, role);
        _node.Stack.PullAll(_world.Now);

        if (reason != RejectReason.None) Assert.Equal(1UL, _node.Stack.Counters.Rejected[reason]);
        Assert.Equal(total + (reason == RejectReason.None ? 0UL : 1UL), _node.Stack.Counters.Rejected.Total);
        Assert.Equal(sent, _node.Stack.Rooms.Roots.Counters.TotalBytes);
        Assert.Equal(heard, _node.Heard.Count);
        Assert.Equal(cached, _node.Stack.Counters.CachedBytes);
    }

    private byte[] Good(
        DatagramKind kind,
        ulong? cluster = null,
        ulong? sender = null,
        uint? viewCounter = null,
        ulong sequence = 0,
        bool ignorable = false,
        byte[]? body = null)
    {
        var datagram = new byte[DatagramHeader.Length + (body?.Length ?? 0)];
        body?.CopyTo(datagram, DatagramHeader.Length);
        new DatagramHeader
        {
            Kind = kind,
            Ignorable = ignorable,
            Flags = DatagramFlags.PayloadChecksum,
            Cluster = cluster ?? _world.Cluster,
            ViewTag = _view.Number.Tag,
            ViewCounter = viewCounter ?? _view.Number.Counter,
            Sender = sender ?? _world.Nodes[1].Self!.Number.Key,
            Sequence = DatagramKinds.IsFeedback(kind) && sequence == 0 ? _world.Nodes[0].Self!.Number.Key : sequence,
        }.WriteTo(datagram);
        return datagram;
    }

    private static byte[] Change(byte[] datagram, int at, byte value)
    {
        datagram[at] = value;
        return datagram;
    }

    private byte[] Packet(ulong sequence, int group)
    {
        var body = new byte[100];
        var writer = new WireWriter(body);
        writer.WriteVarint(0);
        PacketRecord.WriteHead(ref writer, _view.Number.Epoch, group, 2, false, default, 3, 0, 3);
        writer.WriteBytes("bad"u8);
        return Good(DatagramKind.Data, sequence: sequence, body: body[..writer.Written]);
    }

    private static byte[] Ack(AckBody ack)
    {
        var body = new byte[AckBody.MaxLength];
        var writer = new WireWriter(body);
        ack.WriteTo(ref writer);
        return body[..writer.Written];
    }

    private byte[] Reseal(byte[] datagram)
    {
        var header = new DatagramHeader
        {
            Kind = (DatagramKind)(datagram[3] & 0x0F),
            Flags = DatagramFlags.PayloadChecksum,
            Cluster = _world.Cluster,
            ViewTag = _view.Number.Tag,
            ViewCounter = _view.Number.Counter,
            Sender = _world.Nodes[1].Self!.Number.Key,
            Sequence = 2 + (ulong)(datagram[32] & 3),
        };
        header.WriteTo(datagram);
        return datagram;
    }
}
