using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>Where a place starts, and which messages a session covers.</summary>
public class SessionTests
{
    private static readonly byte[] X = [9];

    private readonly DeliveryWorld _world = new();
    private readonly RegionView _view = View(1, firstStep: 4, 10);
    private readonly NodeInfo _sender = Node(5);

    private GroupReceiver Open(ulong stayBegan, ulong installed)
    {
        GroupReceiver receiver = _world.Open(Group(10), Step(stayBegan));
        _world.Deliverer.OnStepInstalled(Step(installed), Now);
        return receiver;
    }

    [Fact]
    public void StartsAtAMessageThatHasNoPredecessor()
    {
        Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 4, new PacketPart(0, 1, X, First: true));

        Assert.Equal(["g10 n5#1"], _world.Log);
    }

    [Fact]
    public void StartsAtAMessageWhosePredecessorIsOlderThanTheSession()
    {
        Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 4, new PacketPart(0, 50, X, First: true, Previous: 3), new PacketPart(0, 51, X));

        Assert.Equal(["g10 n5#50", "g10 n5#51"], _world.Log);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    public void WaitsForAPredecessorThatWasSentInTheSession(ulong previous)
    {
        Open(stayBegan: 4, installed: 6);
        RegionView newer = View(2, firstStep: 6, 10);
        _world.Receive(newer, _sender, 6, new PacketPart(0, 51, X, First: true, Previous: previous));
        Assert.Empty(_world.Log);

        _world.Receive(_view, _sender, 5, new PacketPart(0, 50, X, First: true, Previous: 3));

        Assert.Equal(["g10 n5#50", "g10 n5#51"], _world.Log);
    }

    [Fact]
    public void DoesNotStartAtAMessageThatIsNotTheFirstOfItsStream()
    {
        Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 4, new PacketPart(0, 8, X));
        Assert.Empty(_world.Log);

        _world.Receive(_view, _sender, 4, new PacketPart(0, 7, X, First: true, Previous: 2));

        Assert.Equal(["g10 n5#7", "g10 n5#8"], _world.Log);
    }

    [Fact]
    public void APredecessorOfAnEarlierReignIsOlder()
    {
        Open(stayBegan: 4, installed: 4);
        var bytes = new byte[200];
        var writer = new WireWriter(bytes.AsSpan(DatagramHeader.Length));
        writer.WriteVarint(0);
        PacketRecord.WriteHead(
            ref writer, ServerEpoch, 0, 9, true, new StepNumber(new Epoch(0, 5), 1_000_000), 0, 0, 0);
        _world.Hand(_view, _sender, bytes[..(DatagramHeader.Length + writer.Written)]);

        Assert.Equal(["g10 n5#9"], _world.Log);
    }

    [Fact]
    public void MessagesOfStepsBeforeTheSessionAreNeverDelivered()
    {
        Open(stayBegan: 6, installed: 6);
        _world.Receive(_view, _sender, 5, new PacketPart(0, 1, X, First: true));
        Assert.Empty(_world.Log);

        _world.Receive(_view, _sender, 6, new PacketPart(0, 2, X, First: true, Previous: 5));

        Assert.Equal(["g10 n5#2"], _world.Log);
    }

    [Fact]
    public void ANewSessionHasNoPlaceOfTheOld()
    {
        GroupReceiver first = Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 4, new PacketPart(0, 1, X, First: true));
        _world.Deliverer.CloseGroup(first);
        Open(stayBegan: 8, installed: 8);
        RegionView newer = View(2, firstStep: 8, 10);

        // Number 2 was sent while this node was away.
        _world.Receive(newer, _sender, 8, new PacketPart(0, 3, X, First: true, Previous: 6));
        _world.Receive(_view, _sender, 4, new PacketPart(0, 1, X, First: true));

        Assert.Equal(["g10 n5#1", "g10 n5#3"], _world.Log);
    }

    [Fact]
    public void APacketOfAStepNotInstalledWaitsForIt()
    {
        Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 6, new PacketPart(0, 3, X));
        _world.Receive(_view, _sender, 5, new PacketPart(0, 2, X));
        _world.Receive(_view, _sender, 4, new PacketPart(0, 1, X, First: true));
        Assert.Equal(["g10 n5#1"], _world.Log);

        _world.Deliverer.OnStepInstalled(Step(5), Now);
        Assert.Equal(["g10 n5#1", "g10 n5#2"], _world.Log);

        _world.Deliverer.OnStepInstalled(Step(6), Now);
        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void APacketThatWaitedIsForTheSessionThatItsStepBegan()
    {
        GroupReceiver first = Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 4, new PacketPart(0, 1, X, First: true));
        _world.Receive(_view, _sender, 9, new PacketPart(0, 4, X, First: true, Previous: 7));
        _world.Deliverer.CloseGroup(first);
        _world.Deliverer.OnStepInstalled(Step(8), Now);
        Assert.Equal(["g10 n5#1"], _world.Log);

        Open(stayBegan: 9, installed: 9);

        Assert.Equal(["g10 n5#1", "g10 n5#4"], _world.Log);
    }

    [Fact]
    public void WaitingPacketsAreReleasedAtTheEnd()
    {
        Open(stayBegan: 4, installed: 4);
        _world.Receive(_view, _sender, 6, new PacketPart(0, 3, X));
        Assert.True(_world.Counters.HeldBytes > 0);

        _world.AssertEverythingComesHome();
    }
}
