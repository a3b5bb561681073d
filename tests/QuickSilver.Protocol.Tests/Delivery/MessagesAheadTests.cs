using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>Records of a packet are read before the first of them is delivered, and handlers change things.</summary>
public class MessagesAheadTests
{
    private const int Groups = 20;
    private static readonly byte[] X = [7];

    private readonly DeliveryWorld _world = new();
    private readonly NodeInfo _sender = Node(5);
    private readonly RegionView _view =
        View(1, 1, [.. Enumerable.Range(1, Groups).Select(static group => (uint)group)]);
    private readonly GroupReceiver[] _groups;

    public MessagesAheadTests()
    {
        _groups = [.. Enumerable.Range(1, Groups).Select(group => _world.Open(Group((uint)group), Step(1)))];
        _world.Deliverer.OnStepInstalled(Step(1), Now);
        Receive(1, first: true);
        _world.Log.Clear();
    }

    private void Receive(ulong number, bool first = false) => _world.Receive(
        _view, _sender, 1,
        [.. Enumerable.Range(0, Groups).Select(index => new PacketPart(index, number, X, First: first))]);

    private static string[] Of(ulong number, IEnumerable<int> groups) =>
        [.. groups.Select(group => $"g{group} n5#{number}")];

    [Fact]
    public void MessagesOfManyGroupsComeInTheOrderOfThePacket()
    {
        Receive(2);
        Receive(3);

        int[] all = [.. Enumerable.Range(1, Groups)];
        Assert.Equal([.. Of(2, all), .. Of(3, all)], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Theory]
    [InlineData(2)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(20)]
    public void AGroupThatAHandlerClosesGetsNothingOfTheRestOfThePacket(int closed)
    {
        _world.Handler = (receiver, _) =>
        {
            if (receiver == _groups[0]) _world.Deliverer.CloseGroup(_groups[closed - 1]);
        };
        Receive(2);

        Assert.Equal(Of(2, Enumerable.Range(1, Groups).Where(group => group != closed)), _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void ANewSessionDoesNotGoOnWhereTheOneBeforeEnded()
    {
        _world.Deliverer.CloseGroup(_groups[3]);
        Receive(2);
        _world.Log.Clear();
        _world.Open(Group(4), Step(2));
        _world.Deliverer.OnStepInstalled(Step(2), Now);
        Receive(3);
        _world.Receive(_view, _sender, 2, new PacketPart(3, 4, X, First: true, Previous: 1));
        _world.Receive(_view, _sender, 2, new PacketPart(3, 5, X));

        Assert.Equal(
            [.. Of(3, Enumerable.Range(1, Groups).Where(static group => group != 4)), "g4 n5#4", "g4 n5#5"],
            _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void ASenderThatWasClosedLeavesNoPlaceBehind()
    {
        _world.Deliverer.OnSenderClosed(_sender, Now);
        Receive(2);

        Assert.Empty(_world.Log);
        Assert.All(_groups, group => Assert.All(group.Cursors, static cursor => Assert.Equal(0UL, cursor.Next)));
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void AFragmentBetweenOtherMessagesKeepsThePacketsOrder()
    {
        _world.Receive(
            _view, _sender, 1,
            new PacketPart(0, 2, X),
            new PacketPart(1, 2, X, Total: 2),
            new PacketPart(1, 2, X, Total: 2, Offset: 1),
            new PacketPart(2, 2, X));

        Assert.Equal(["g1 n5#2", "g2 n5#2", "g3 n5#2"], _world.Log);
        _world.AssertEverythingComesHome();
    }
}
