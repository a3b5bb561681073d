using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

public class DelivererTests
{
    private static readonly byte[] X = [1, 2, 3];

    private readonly DeliveryWorld _world = new();
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20);
    private readonly NodeInfo _sender = Node(5);

    private GroupReceiver Open(uint group, ulong stayBegan)
    {
        GroupReceiver receiver = _world.Open(Group(group), Step(stayBegan));
        _world.Deliverer.OnStepInstalled(Step(Math.Max(stayBegan, 1)), Now);
        return receiver;
    }

    [Fact]
    public void DeliversInTheOrderOfNumbersWhateverTheOrderOfPackets()
    {
        Open(10, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, [3]));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1], First: true));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 4, [4]), new PacketPart(0, 2, [2]));

        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3", "g10 n5#4"], _world.Log);
        Assert.Equal([1, 2, 3, 4], _world.Contents.Select(bytes => (int)bytes[0]));
        _world.AssertEverythingComesHome();
    }

    /// <summary>Members of a merged region get packets of groups that they are not in.</summary>
    [Fact]
    public void WhatIsNotForThisNodeIsCountedAndDropped()
    {
        Open(10, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1], First: true), new PacketPart(1, 1, X, First: true));
        _world.Receive(_view, _sender, 1, new PacketPart(1, 2, X), new PacketPart(1, 3, X));

        Assert.Equal(["g10 n5#1"], _world.Log);
        Assert.Equal((3UL, 1UL), (_world.Counters.MessagesFiltered, _world.Counters.PacketsFiltered));
        _world.AssertEverythingComesHome();
    }

    /// <summary>The message after it came first, waited for its step, and so lies before it in memory: the two are no
    /// run.</summary>
    [Fact]
    public void AMessageThatWaitedForItsStepIsJoinedToNoneBehindIt()
    {
        Open(10, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        _world.Receive(_view, _sender, 2, new PacketPart(0, 4, X));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, X));
        _world.Deliverer.OnStepInstalled(Step(2), Now);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));

        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3", "g10 n5#4"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    /// <summary>What a sender says twice costs a receiver no more than once.</summary>
    [Fact]
    public void ABatchOfWhichSomeIsHeldIsHeldInBatches()
    {
        Open(10, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1000, X));
        long before = _world.Counters.HeldBytes;
        _world.Receive(
            _view, _sender, 1, [.. Enumerable.Range(3, 1998).Select(number => new PacketPart(0, (ulong)number, X))]);
        Assert.InRange(
            _world.Counters.HeldBytes - before, 1997 * X.Length, (1997 * X.Length) + (2 * HeldBatch.Overhead));
        Assert.Equal(1UL, _world.Counters.Duplicates);

        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));
        Assert.Equal(Enumerable.Range(1, 2000).Select(number => $"g10 n5#{number}"), _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void AGapDelaysOnlyTheGroupsThatWereInIt()
    {
        Open(10, 1);
        Open(20, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true), new PacketPart(1, 1, X, First: true));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, X), new PacketPart(1, 2, X));

        Assert.Equal(["g10 n5#1", "g20 n5#1", "g20 n5#2"], _world.Log);
    }

    [Fact]
    public void DeliversAMessageOnceWhateverStreamItComesIn()
    {
        Open(10, 1);
        RegionView newer = View(2, firstStep: 1, 5, 10);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true), new PacketPart(0, 3, X));
        _world.Receive(
            newer, _sender, 1, new PacketPart(1, 1, X, First: true), new PacketPart(1, 2, X), new PacketPart(1, 3, X));

        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3"], _world.Log);
        Assert.Equal(2UL, _world.Counters.Duplicates);
    }

    [Fact]
    public void SendersAreOrderedApartFromEachOther()
    {
        Open(10, 1);
        NodeInfo[] senders = [.. Enumerable.Range(1, 20).Select(number => Node((uint)number))];
        foreach (NodeInfo sender in senders) _world.Receive(_view, sender, 1, new PacketPart(0, 1, X, First: true));
        foreach (NodeInfo sender in senders) _world.Receive(_view, sender, 1, new PacketPart(0, 3, X));
        foreach (NodeInfo sender in senders) _world.Receive(_view, sender, 1, new PacketPart(0, 2, X));

        IEnumerable<string> expected = senders.Select(sender => $"g10 {sender.Name}#1")
            .Concat(senders.SelectMany(sender => new[] { $"g10 {sender.Name}#2", $"g10 {sender.Name}#3" }));
        Assert.Equal(expected, _world.Log);
    }

    [Fact]
    public void IgnoresGroupsItIsNotIn()
    {
        GroupReceiver left = Open(10, 1);
        Open(20, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true), new PacketPart(1, 1, X, First: true));
        _world.Deliverer.CloseGroup(left);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X), new PacketPart(1, 2, X));

        Assert.Equal(["g10 n5#1", "g20 n5#1", "g20 n5#2"], _world.Log);
        Assert.False(left.IsOpen);
    }

    [Fact]
    public void FindsAGroupThatIsOpenedAfterItsViewWasUsed()
    {
        Open(20, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        Open(10, 2);
        _world.Receive(_view, _sender, 2, new PacketPart(0, 2, X, First: true, Previous: 1));

        Assert.Equal(["g10 n5#2"], _world.Log);
    }

    [Fact]
    public void ARetiredViewIsForgottenAndOthersAreNot()
    {
        Open(10, 1);
        RegionView other = View(2, firstStep: 1, 10);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, X, First: true));
        _world.Receive(other, _sender, 1, new PacketPart(0, 2, X));
        _world.Deliverer.OnViewRetired(_view);
        _world.Receive(other, _sender, 1, new PacketPart(0, 3, X));

        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3"], _world.Log);
    }

    [Fact]
    public void LeavingDropsWhatIsUndeliveredAndReleasesIt()
    {
        GroupReceiver group = Open(10, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, X, Total: 10));
        Assert.True(_world.Counters.HeldBytes > 0);

        _world.Deliverer.CloseGroup(group);

        Assert.Equal(0, _world.Counters.HeldBytes);
        Assert.Empty(_world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void AHandlerMayCloseTheGroupItIsCalledFor()
    {
        GroupReceiver group = Open(10, 1);
        Open(20, 1);
        _world.Handler = (receiver, message) =>
        {
            if (receiver == group && message.Number == 2) _world.Deliverer.CloseGroup(group);
        };
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, X));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, X));
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, X, First: true), new PacketPart(0, 4, X),
            new PacketPart(1, 1, X, First: true));

        Assert.Equal(["g10 n5#1", "g10 n5#2", "g20 n5#1"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void PayloadsMayBeRetainedBeyondTheCall()
    {
        Open(10, 1);
        var kept = new List<Slice>();
        _world.Handler = (_, message) =>
        {
            message.Payload.Retain();
            kept.Add(message.Payload);
        };
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, [2]), new PacketPart(0, 1, [1], First: true));
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 3, [3], Total: 2), new PacketPart(0, 3, [4], Total: 2, Offset: 1));

        Assert.Equal([1, 2, 3], kept.Select(slice => (int)slice.Span[0]));
        Assert.Equal(4, kept[2].Span[1]);
        kept.ForEach(slice => slice.Release());
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void EmptyMessagesAreMessages()
    {
        Open(10, 1);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, []), new PacketPart(0, 1, [], First: true));

        Assert.Equal(["g10 n5#1", "g10 n5#2"], _world.Log);
        Assert.All(_world.Contents, Assert.Empty);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void ASecondSessionInAGroupIsRefusedWhileTheFirstLasts()
    {
        Open(10, 1);

        Assert.Throws<ArgumentException>(() => _world.Open(Group(10), Step(2)));
    }
}
