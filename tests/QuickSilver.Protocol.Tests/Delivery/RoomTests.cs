using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>The cap on what is held.</summary>
public class RoomTests
{
    private static readonly byte[] X = new byte[100];

    private readonly DeliveryWorld _world = new(maxHeldBytes: 1000);
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20);
    private readonly NodeInfo _sender = Node(5);

    public RoomTests()
    {
        _world.Deliverer.OpenGroup(Group(10), Step(1));
        _world.Deliverer.OnStepInstalled(Step(1), Now);
    }

    private bool HasRoom(ulong step, params ReadOnlySpan<PacketPart> parts) =>
        _world.Deliverer.HasRoomFor(_view, _sender, Datagram(_view, step, parts));

    private void Fill()
    {
        for (ulong number = 3; _world.Deliverer.HasRoomFor(0); number++) _world.Receive(_view, _sender, 1, new PacketPart(0, number, X));
    }

    [Fact]
    public void UnderTheCapEverythingIsTaken()
    {
        Assert.True(HasRoom(1, new PacketPart(0, 5, X)));
        Assert.True(HasRoom(9, new PacketPart(0, 5, X)));
    }

    [Fact]
    public void OverTheCapWhatWouldHaveToBeHeldIsRefused()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Fill();

        Assert.False(_world.Deliverer.HasRoomFor(1));
        Assert.False(HasRoom(1, new PacketPart(0, 50, X)));
        Assert.False(HasRoom(1, new PacketPart(0, 50, X, Total: 200)));
        Assert.False(HasRoom(2, new PacketPart(0, 2, X)));
    }

    [Fact]
    public void OverTheCapTheNextMessageOrAFragmentOfItIsTaken()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Fill();

        Assert.True(HasRoom(1, new PacketPart(0, 50, X), new PacketPart(0, 2, X)));
        Assert.True(HasRoom(1, new PacketPart(0, 2, X, Total: 200)));
    }

    [Fact]
    public void OverTheCapAMessageThatStartsAPlaceIsTaken()
    {
        Fill();

        Assert.False(HasRoom(1, new PacketPart(0, 2, X)));
        Assert.False(HasRoom(1, new PacketPart(0, 2, X, First: true, Previous: 1)));
        Assert.True(HasRoom(1, new PacketPart(0, 2, X, First: true)));
    }

    [Fact]
    public void OverTheCapWhatNeedsNoHoldingIsTaken()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Fill();

        Assert.True(HasRoom(1, new PacketPart(1, 77, X)));
        Assert.True(HasRoom(1, new PacketPart(0, 1, X)));
    }

    [Fact]
    public void WhatIsHeldDrainsAndThereIsRoomAgain()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Fill();
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));

        Assert.Equal(0, _world.Counters.HeldBytes);
        Assert.True(HasRoom(1, new PacketPart(0, 50, X)));
    }
}
