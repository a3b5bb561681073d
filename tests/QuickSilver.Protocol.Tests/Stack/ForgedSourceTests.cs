using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>
/// What a node does with datagrams that are right in every respect, but come from another address or port than their
/// sender's: it counts them and does nothing else.
/// </summary>
public sealed class ForgedSourceTests
{
    private static readonly DatagramKind[] Control =
        [DatagramKind.Token, DatagramKind.TokenAck, DatagramKind.Ack, DatagramKind.Nak, DatagramKind.Pull];

    private readonly StackWorld _world = new(3);
    private readonly RegionView _view;
    private readonly StackNode _node;

    public ForgedSourceTests()
    {
        _world.JoinAll("news");
        foreach (StackNode node in _world.Nodes) node.Say("news", $"hello of {node.Index}");
        _world.RunFor(TimeSpan.FromSeconds(2));
        _node = _world.Nodes[0];
        _view = _node.Stack.FindGroup("news")!.Regions[0];
    }

    public static TheoryData<Enum, bool> Kinds
    {
        get
        {
            var data = new TheoryData<Enum, bool>();
            foreach (DatagramKind kind in (DatagramKind[])[
                .. Control, DatagramKind.Beacon, DatagramKind.Data, DatagramKind.Repair])
            {
                data.Add(kind, true);
                data.Add(kind, false);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void FromAnotherEndpointItChangesNothing(Enum kind, bool isOtherPort)
    {
        SocketRole role = DatagramKinds.IsControl((DatagramKind)kind) ? SocketRole.Control : SocketRole.Unicast;
        NetEndpoint real = role == SocketRole.Control ? _world.Nodes[1].Facts.Control : _world.Nodes[1].Facts.Data;
        NetEndpoint forged = isOtherPort ? real with { Port = 9 } : real with { Address = real.Address.IPv4 + 77 };
        AssertForged(Datagram((DatagramKind)kind, Key(1)), role, forged);
        // The sender's other endpoint is not the one that the kind comes from, nor is another member's.
        AssertForged(
            Datagram((DatagramKind)kind, Key(1)), role,
            role == SocketRole.Control ? _world.Nodes[1].Facts.Data : _world.Nodes[1].Facts.Control);
        AssertForged(
            Datagram((DatagramKind)kind, Key(1)), role,
            role == SocketRole.Control ? _world.Nodes[2].Facts.Control : _world.Nodes[2].Facts.Data);
        Assert.Equal(
            new ForgedKind((DatagramKind)kind, Key(1)),
            new ForgedKind(_node.Stack.LastForged.Kind, _node.Stack.LastForged.Sender));
    }

    [Fact]
    public void ByMulticastTheAddressCountsAndThePortDoesNot()
    {
        byte[] beacon = Datagram(DatagramKind.Beacon, Key(1));
        NetEndpoint real = _world.Nodes[1].Facts.Data;
        AssertForged(beacon, SocketRole.Multicast, new NetEndpoint(0x0A000001, real.Port));
        ulong total = _node.Stack.Counters.Rejected.Total;
        _node.Take(beacon, SocketRole.Multicast, real with { Port = 4711 });
        // These nodes are on loopback, where a node's multicast comes from an address of its own.
        _node.Take(beacon, SocketRole.Multicast, new NetEndpoint(0x7F513A98, 4711));
        Assert.Equal(total, _node.Stack.Counters.Rejected.Total);
    }

    [Fact]
    public void ARepairMustComeFromThePeerThatRepairs()
    {
        byte[] repair = Datagram(DatagramKind.Data, Key(1));
        DatagramHeader.MarkAsPeerRepair(repair, _view.IndexOf(Key(2)));
        AssertForged(repair, SocketRole.Unicast, _world.Nodes[1].Facts.Data);
        ulong forged = _node.Stack.Counters.Rejected[RejectReason.WrongSource];
        _node.Take(repair, SocketRole.Unicast, _world.Nodes[2].Facts.Data);
        Assert.Equal(forged, _node.Stack.Counters.Rejected[RejectReason.WrongSource]);
    }

    [Fact]
    public void APeerThatIsNotInTheViewIsRefused()
    {
        byte[] repair = Datagram(DatagramKind.Data, Key(1));
        DatagramHeader.MarkAsPeerRepair(repair, 9999);
        _node.Take(repair, SocketRole.Unicast, _world.Nodes[1].Facts.Data);
        Assert.Equal(1UL, _node.Stack.Counters.Rejected[RejectReason.UnknownSender]);
    }

    [Fact]
    public void AForgedAckReleasesNothing()
    {
        foreach (int deaf in (int[])[1, 2]) _world.Nodes[deaf].IsDeaf = true;
        _node.Say("news", "held by nobody else");
        _world.RunFor(TimeSpan.FromMilliseconds(5));
        int pending = (int)_node.Stack.FindGroup("news")!.PendingMessages;
        Assert.True(pending > 0);
        byte[] body = new byte[AckBody.MaxLength];
        var writer = new WireWriter(body);
        new AckBody(2, 2, 2, 1, 0).WriteTo(ref writer);
        byte[] ack = Datagram(DatagramKind.Ack, Key(1), Key(0), body.AsSpan(0, writer.Written));
        _node.Take(ack, SocketRole.Control, new NetEndpoint(0x7F000001, 9));
        Assert.Equal(pending, _node.Stack.FindGroup("news")!.PendingMessages);
        _node.Take(ack, SocketRole.Control, _world.Nodes[1].Facts.Control);
        Assert.Equal(0, _node.Stack.FindGroup("news")!.PendingMessages);
    }

    [Fact]
    public void EveryKindThatDoesAnythingHasASource() =>
        Assert.All(
            Enum.GetValues<DatagramKind>().Where(static kind => kind is not (DatagramKind.None or DatagramKind.Probe)),
            static kind => Assert.NotEqual(DatagramSource.Anywhere, DatagramKinds.SourceOf(kind)));

    private void AssertForged(byte[] datagram, SocketRole role, NetEndpoint source)
    {
        ulong forged = _node.Stack.Counters.Rejected[RejectReason.WrongSource];
        ulong total = _node.Stack.Counters.Rejected.Total;
        ulong sent = _node.Stack.Rooms.Roots.Counters.TotalBytes;
        ulong received = _node.Stack.Counters.PacketsReceived + _node.Stack.Counters.PacketsDuplicate
            + _node.Stack.Counters.PacketsMissed;
        _node.Take(datagram, role, source);
        _node.Stack.PullAll(_world.Now);
        Assert.Equal(forged + 1, _node.Stack.Counters.Rejected[RejectReason.WrongSource]);
        Assert.Equal(total + 1, _node.Stack.Counters.Rejected.Total);
        Assert.Equal(sent, _node.Stack.Rooms.Roots.Counters.TotalBytes);
        Assert.Equal(
            received,
            _node.Stack.Counters.PacketsReceived + _node.Stack.Counters.PacketsDuplicate
                + _node.Stack.Counters.PacketsMissed);
    }

    private ulong Key(int node) => _world.Nodes[node].Self!.Number.Key;

    private byte[] Datagram(DatagramKind kind, ulong sender, ulong sequence = 1, ReadOnlySpan<byte> body = default)
    {
        byte[] datagram = new byte[DatagramHeader.Length + body.Length];
        body.CopyTo(datagram.AsSpan(DatagramHeader.Length));
        new DatagramHeader
        {
            Kind = kind,
            Cluster = _world.Cluster,
            ViewTag = _view.Number.Tag,
            ViewCounter = _view.Number.Counter,
            Sender = sender,
            Sequence = sequence,
        }.WriteTo(datagram);
        return datagram;
    }

    private readonly record struct ForgedKind(DatagramKind Kind, ulong Sender);
}
