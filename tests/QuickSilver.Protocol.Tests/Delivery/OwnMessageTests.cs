using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

public class OwnMessageTests
{
    private readonly DeliveryWorld _world = new();
    private readonly NodeInfo _self = Node(1);
    private readonly GroupReceiver _group;

    public OwnMessageTests()
    {
        _group = _world.Open(Group(10), Step(3));
        _world.Deliverer.OnStepInstalled(Step(3), Now);
    }

    private void Own(ulong number, uint step = 3)
    {
        var payload = new Slice(_world.Pool.Rent(BufferOwner.Pending), 0, 4);
        _world.Deliverer.OnOwnMessages(_group, _self, Step(step), new DeliveryBatch(number, payload), Now);
        payload.Release();
    }

    [Fact]
    public void TheFirstOfASessionStartsThePlace()
    {
        Own(41);
        Own(42);

        Assert.Equal(["g10 n1#41", "g10 n1#42"], _world.Log);
    }

    [Fact]
    public void WhatWasBoundBeforeTheSessionIsNotDelivered()
    {
        Own(40, step: 2);
        Own(41);

        Assert.Equal(["g10 n1#41"], _world.Log);
    }

    [Fact]
    public void OwnMessagesKeepTheOrderOfTheirNumbersAndComeOnce()
    {
        Own(1);
        Own(3);
        Own(2);
        Own(2);

        Assert.Equal(["g10 n1#1", "g10 n1#2", "g10 n1#3"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void AHandlerThatSendsToItselfIsNotEnteredAgainBeforeItReturns()
    {
        int depth = 0, deepest = 0;
        _world.Handler = (_, message) =>
        {
            deepest = Math.Max(deepest, ++depth);
            if (message.Number < 1000) Own(message.Number + 1);
            depth--;
        };
        Own(1);

        Assert.Equal(1, deepest);
        Assert.Equal(1000, _world.Log.Count);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void NothingIsDeliveredToASessionThatHasEnded()
    {
        _world.Deliverer.CloseGroup(_group);
        Own(1);

        Assert.Empty(_world.Log);
        _world.AssertEverythingComesHome();
    }
}
