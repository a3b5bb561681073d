using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>Past a gap, once all streams of a removed sender are closed.</summary>
public class LossTests
{
    private static readonly byte[] X = [9];

    private readonly DeliveryWorld _world = new();
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20, 30);
    private readonly NodeInfo _sender = Node(5);
    private readonly GroupReceiver[] _groups;

    public LossTests()
    {
        _groups = [.. new uint[] { 10, 20, 30 }.Select(group => _world.Open(Group(group), Step(1)))];
        _world.Deliverer.OnStepInstalled(Step(1), Now);
    }

    private void CloseSender() => _world.Deliverer.OnSenderClosed(_sender, Now);

    [Fact]
    public void EachGapIsReportedAndWhatFollowsItIsDelivered()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, X), new PacketPart(0, 4, X), new PacketPart(0, 9, X));
        CloseSender();

        Assert.Equal(["g10 n5#1", "g10 n5!2+1", "g10 n5#3", "g10 n5#4", "g10 n5!5+4", "g10 n5#9"], _world.Log);
        Assert.Equal(5UL, _world.Counters.Lost);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void NothingIsReportedWhereNothingIsMissing()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true), new PacketPart(0, 2, X));
        CloseSender();

        Assert.Equal(["g10 n5#1", "g10 n5#2"], _world.Log);
    }

    [Fact]
    public void AMessageOfWhichAFragmentIsMissingIsLost()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 3, X, Total: 5), new PacketPart(0, 4, X),
            new PacketPart(0, 6, X, Total: 2));
        CloseSender();

        Assert.Equal(["g10 n5#1", "g10 n5!2+2", "g10 n5#4", "g10 n5!5+2"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void AReceiverWithoutAPlaceStartsAtTheLowestMessageAfterALossOfUnknownCount()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 7, X), new PacketPart(0, 8, X));
        CloseSender();

        Assert.Equal(["g10 n5!0+0", "g10 n5#7", "g10 n5#8"], _world.Log);
    }

    [Fact]
    public void AReceiverThatHoldsNothingWholeAndHasNoPlaceReportsOneLossOfUnknownCount()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 7, X, Total: 3), new PacketPart(0, 9, X, Total: 3));
        CloseSender();

        Assert.Equal(["g10 n5!0+0"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void OtherSendersAreNotTouched()
    {
        NodeInfo other = Node(6);
        _world.Receive(_view, other, 1, new PacketPart(0, 1, X, First: true), new PacketPart(0, 3, X));
        CloseSender();
        Assert.Equal(["g10 n6#1"], _world.Log);

        _world.Receive(_view, other, 1, new PacketPart(0, 2, X));
        Assert.Equal(["g10 n6#1", "g10 n6#2", "g10 n6#3"], _world.Log);
    }

    [Fact]
    public void EveryGroupGoesOnEvenIfAHandlerClosesGroups()
    {
        _world.Handler = (group, message) =>
        {
            if (message.Number != 3) return;
            foreach (GroupReceiver closed in _groups)
            {
                if (closed != _groups[0] && closed != group) _world.Deliverer.CloseGroup(closed);
            }
        };
        for (int group = 0; group < 3; group++)
        {
            _world.Receive(
                _view, _sender, 1, new PacketPart(group, 1, X, First: true), new PacketPart(group, 3, X),
                new PacketPart(group, 4, X));
        }
        _world.Log.Clear();
        CloseSender();

        // The last group opened is first: it closes the one in the middle, and the first of all goes on, which closes
        // the last.
        Assert.Equal(["g30 n5!2+1", "g30 n5#3", "g30 n5#4", "g10 n5!2+1", "g10 n5#3", "g10 n5#4"], _world.Log);
        _world.AssertEverythingComesHome();
    }
}
