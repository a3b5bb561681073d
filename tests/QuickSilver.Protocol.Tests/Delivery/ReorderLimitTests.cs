using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>The cap on what is held.</summary>
public class ReorderLimitTests
{
    private static readonly byte[] X = new byte[100];

    private readonly DeliveryWorld _world = new(maxHeldBytes: 1000);
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20);
    private readonly NodeInfo _sender = Node(5);

    public ReorderLimitTests()
    {
        _world.Open(Group(10), Step(1));
        _world.Deliverer.OnStepInstalled(Step(1), Now);
    }

    private bool HasRoom(ulong step, params ReadOnlySpan<PacketPart> parts) =>
        _world.Deliverer.Cap.Allows(_view, _sender, Datagram(_view, step, parts));

    private void Fill()
    {
        for (ulong number = 3; _world.Deliverer.Cap.Allows(0); number++)
            _world.Receive(_view, _sender, 1, new PacketPart(0, number, X));
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

        Assert.False(_world.Deliverer.Cap.Allows(1));
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

    [Fact]
    public void AFewPacketsOfAStreamAreTakenBeyondTheCapUntilTheyDrain()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        for (ulong number = 40; _world.Deliverer.Cap.Allows(0); number++)
            _world.Receive(_view, _sender, 1, new PacketPart(0, number, X));
        long held = _world.Counters.HeldBytes;

        for (ulong number = 18; number > 2; number--) TakeBeyondCap(_view, number);
        Assert.False(TryTake(_view, 1, new PacketPart(0, 19, X)));
        Assert.False(_world.Deliverer.Cap.MayTakeBeyondCap(_view, _sender));
        Assert.Equal(_world.Counters.HeldBytes - held, _world.Deliverer.Cap.ChargeBeyondCap);

        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));
        Assert.Equal(held, _world.Counters.HeldBytes);
        Assert.Equal(0, _world.Deliverer.Cap.ChargeBeyondCap);
        TakeBeyondCap(_view, 20);
    }

    [Fact]
    public void AStreamThatWaitsForAnOlderOneTakesNothingOfItsShare()
    {
        RegionView newer = View(2, firstStep: 1, 10, 20);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Fill();

        for (ulong number = 100; number < 116; number++) TakeBeyondCap(newer, number);
        Assert.False(TryTake(newer, 1, new PacketPart(0, 116, X)));
        Assert.True(_world.Deliverer.Cap.MayTakeBeyondCap(_view, _sender));
        TakeBeyondCap(_view, 60);
    }

    [Fact]
    public void AMessageThatIsNextDoesNotCountAsWaiting()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        for (ulong number = 40; _world.Deliverer.Cap.Allows(0); number++)
            _world.Receive(_view, _sender, 1, new PacketPart(0, number, X));
        for (int part = 0; part < 16; part++)
        {
            var fragment = new PacketPart(0, 3, X, Offset: part * 100, Total: 2000);
            Assert.True(TryTake(_view, 1, fragment));
            _world.Receive(_view, _sender, 1, fragment);
        }
        Assert.False(_world.Deliverer.Cap.MayTakeBeyondCap(_view, _sender));

        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));
        Assert.True(_world.Deliverer.Cap.MayTakeBeyondCap(_view, _sender));
    }

    [Fact]
    public void WhatIsOfAStepNotInstalledIsNotTakenBeyondTheCap()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Fill();

        Assert.False(TryTake(_view, 2, new PacketPart(0, 50, X)));
    }

    [Fact]
    public void AnEndedSessionTakesItsPacketsOffTheCount()
    {
        GroupReceiver session = _world.Open(Group(20), Step(1));
        Fill();
        for (ulong number = 5; number < 21; number++) Assert.True(TryTake(_view, 1, new PacketPart(1, number, X)));
        Assert.False(_world.Deliverer.Cap.MayTakeBeyondCap(_view, _sender));

        _world.Deliverer.CloseGroup(session);
        Assert.True(_world.Deliverer.Cap.MayTakeBeyondCap(_view, _sender));
    }

    private bool TryTake(RegionView view, ulong step, params ReadOnlySpan<PacketPart> parts) =>
        _world.Deliverer.Cap.TryTakeBeyondCap(view, _sender, Datagram(view, step, parts));

    private void TakeBeyondCap(RegionView view, ulong number)
    {
        var part = new PacketPart(0, number, X);
        Assert.False(_world.Deliverer.Cap.Allows(view, _sender, Datagram(view, 1, part)));
        Assert.True(TryTake(view, 1, part));
        _world.Receive(view, _sender, 1, part);
    }
}
