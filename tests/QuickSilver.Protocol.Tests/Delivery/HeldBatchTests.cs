using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>Messages of one packet that wait together.</summary>
public class HeldBatchTests
{
    private const int Length = 5;

    private readonly DeliveryWorld _world = new();
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20);
    private readonly NodeInfo _sender = Node(5);
    private readonly GroupReceiver _session;

    public HeldBatchTests()
    {
        _session = _world.Open(Group(10), Step(1));
        _world.Open(Group(20), Step(1));
        _world.Deliverer.OnStepInstalled(Step(1), Now);
    }

    [Fact]
    public void MessagesOfAPacketThatWaitAreChargedAsOneEntry()
    {
        Receive(Equal(0, 2, 9));

        Assert.Equal((8 * Length) + HeldBatch.Overhead, _world.Counters.HeldBytes);
        Assert.Equal(8UL, _world.Counters.Held);
        Expect(0, 1, 9);
    }

    [Fact]
    public void GroupsThatTakeTurnsInAPacketHaveARunEach()
    {
        Receive([.. Enumerable.Range(2, 6).SelectMany(number => new[] { Part(0, number), Part(1, number) })]);

        Assert.Equal((12 * Length) + (2 * HeldBatch.Overhead), _world.Counters.HeldBytes);
        Receive(Part(0, 1), Part(1, 1));
        Assert.Equal(14, _world.Log.Count);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void MessagesOfAllLengthsComeOutAsTheyWent()
    {
        int[] lengths = [5, 5, 7, 7, 7, 0, 0, 0, 5, 300, 5, 5];
        var parts = new PacketPart[lengths.Length];
        for (int index = 0; index < parts.Length; index++)
            parts[index] = Part(0, index + 2) with { Bytes = Bytes(index + 2, lengths[index]) };
        Receive(parts);
        Receive(Part(0, 1));

        for (int index = 0; index < parts.Length; index++) Assert.Equal(parts[index].Bytes, _world.Contents[index + 1]);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void NumbersThatAreHeldAlreadyDivideARunAndAreDropped()
    {
        Receive(Part(0, 5));
        Receive(Equal(0, 3, 7));
        Receive(Equal(0, 6, 9));

        Assert.Equal(3UL, _world.Counters.Duplicates);
        Expect(0, 1, 2, 9);
    }

    [Fact]
    public void RunsOfRepairedPacketsAreSortedIn()
    {
        foreach (int first in new[] { 82, 2, 42, 12, 72, 22, 62, 32, 52 }) Receive(Equal(0, first, first + 9));

        Assert.Equal((90 * Length) + (9 * HeldBatch.Overhead), _world.Counters.HeldBytes);
        Expect(0, 1, 91);
    }

    [Fact]
    public void NumbersInAPacketMayFallOrComeTwice()
    {
        Receive(
            Part(0, 6), Part(0, 5), Part(0, 4), Part(0, 4), Part(0, 5), Part(0, 2), Part(0, 3), Part(0, 7), Part(0, 8));

        Assert.Equal(2UL, _world.Counters.Duplicates);
        Expect(0, 1, 8);
    }

    [Fact]
    public void AFragmentInsideARunContradictsIt()
    {
        Receive(Equal(0, 2, 6));
        Receive(Part(0, 4) with { Total = 20 });
        Receive(
            Part(0, 7) with { Total = 2 * Length }, Part(0, 8), Part(0, 7) with { Total = 2 * Length, Offset = Length },
            Part(0, 9));

        Assert.Equal(1UL, _world.Counters.Rejected[RejectReason.BadFragment]);
        Receive(Part(0, 1));
        Assert.Equal(Enumerable.Range(1, 9).Select(number => $"g10 n5#{number}"), _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void APlaceThatStartsInsideARunDropsWhatIsBelow()
    {
        Receive(Equal(0, 2, 9));
        Receive(Part(0, 6) with { First = true });

        Assert.Equal(Enumerable.Range(6, 4).Select(number => $"g10 n5#{number}"), _world.Log);
        Assert.Equal(Bytes(6), _world.Contents[0]);
        Assert.Equal(5UL, _world.Counters.Duplicates);
        Assert.Equal(0, _world.Counters.HeldBytes);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void AHandlerThatClosesTheGroupInsideARunGetsNoMoreOfIt()
    {
        _world.Handler = (_, message) =>
        {
            if (message.Number != 4) return;
            _world.Deliverer.CloseGroup(_session);
            Assert.Equal(0, _world.Counters.HeldBytes);
            Assert.Equal(Bytes(4), message.Payload.Span.ToArray());
            Assert.True(message.Payload.Chunk!.References > 0);
        };
        Receive(Equal(0, 2, 9));
        Receive(Part(0, 1));

        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3", "g10 n5#4"], _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void ARunIsOffTheAccountWhenItIsDeliveredAndMayBeKept()
    {
        var kept = new List<Slice>();
        _world.Handler = (_, message) =>
        {
            message.Payload.Retain();
            kept.Add(message.Payload);
            Assert.Equal(message.Number == 1 ? (5 * Length) + HeldBatch.Overhead : 0, _world.Counters.HeldBytes);
        };
        Receive(Equal(0, 2, 6));
        Receive(Part(0, 1));

        for (int index = 0; index < 6; index++) Assert.Equal(Bytes(index + 1), kept[index].Span.ToArray());
        kept.ForEach(slice => slice.Release());
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void GapsBeforeRunsAreSkipped()
    {
        Receive(Part(0, 1));
        Receive(Equal(0, 3, 5));
        Receive(Equal(0, 8, 9));
        _world.Deliverer.OnSenderClosed(_sender, Now);

        Assert.Equal(
            ["g10 n5#1", "g10 n5!2+1", "g10 n5#3", "g10 n5#4", "g10 n5#5", "g10 n5!6+2", "g10 n5#8", "g10 n5#9"],
            _world.Log);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void OwnMessagesThatOneHandlerSendsFollowInOrder()
    {
        var arena = new Arena(_world.Pool, BufferOwner.Cache);
        NodeInfo self = Node(9);
        _world.Handler = (_, message) =>
        {
            if (message.Number > 1) return;
            for (int number = 2; number < 30; number++) HandOver(number);
        };
        HandOver(1);

        Assert.Equal(Enumerable.Range(1, 29).Select(number => $"g10 n9#{number}"), _world.Log);
        for (int number = 1; number < 30; number++) Assert.Equal(Bytes(number), _world.Contents[number - 1]);
        arena.Close();
        _world.AssertEverythingComesHome();

        void HandOver(int number)
        {
            Slice payload = arena.Copy(Bytes(number));
            _world.Deliverer.OnOwnMessages(_session, self, Step(1), new DeliveryBatch((ulong)number, payload), Now);
            payload.Release();
        }
    }

    private static byte[] Bytes(int number, int length = Length) =>
        [.. Enumerable.Range(0, length).Select(at => (byte)((number * 7) + at))];

    private static PacketPart Part(int group, int number) =>
        new(group, (ulong)number, Bytes(number), First: number == 1);

    private static PacketPart[] Equal(int group, int first, int last) =>
        [.. Enumerable.Range(first, last - first + 1).Select(number => Part(group, number))];

    private void Receive(params PacketPart[] parts) => _world.Receive(_view, _sender, 1, parts);

    /// <summary>Fills the gap, and checks that all up to a number come, each with its bytes, and nothing
    /// stays.</summary>
    private void Expect(int group, params int[] missingAndLast)
    {
        foreach (int number in missingAndLast[..^1]) Receive(Part(group, number));

        int last = missingAndLast[^1];
        Assert.Equal(Enumerable.Range(1, last).Select(number => $"g10 n5#{number}"), _world.Log);
        for (int number = 1; number <= last; number++) Assert.Equal(Bytes(number), _world.Contents[number - 1]);
        Assert.Equal(0, _world.Counters.HeldBytes);
        _world.AssertEverythingComesHome();
    }
}
