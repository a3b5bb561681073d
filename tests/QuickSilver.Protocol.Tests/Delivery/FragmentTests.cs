using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

public class FragmentTests
{
    private readonly DeliveryWorld _world = new();
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20);
    private readonly NodeInfo _sender = Node(5);

    public FragmentTests()
    {
        _world.Open(Group(10), Step(1));
        _world.Open(Group(20), Step(1));
        _world.Deliverer.OnStepInstalled(Step(1), Now);
    }

    [Fact]
    public void JoinsFragmentsInAnyOrder()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [5, 6], Total: 6, Offset: 4));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1, 2], First: true, Total: 6));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, [9]));
        Assert.Empty(_world.Log);

        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [3, 4], Total: 6, Offset: 2));

        Assert.Equal(["g10 n5#1", "g10 n5#2"], _world.Log);
        Assert.Equal([1, 2, 3, 4, 5, 6], _world.Contents[0]);
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void StartsAtWhicheverFragmentSaysThatItIsTheFirst()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [2], Total: 2, Offset: 1));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1], First: true, Total: 2));

        Assert.Equal([1, 2], Assert.Single(_world.Contents));
    }

    [Theory]
    [InlineData(7, 2, 2)]
    [InlineData(6, 1, 2)]
    [InlineData(6, 0, 1)]
    [InlineData(6, 0, 3)]
    [InlineData(6, 3, 2)]
    public void AFragmentThatContradictsTheOthersIsCountedAndDropped(int total, int offset, int length)
    {
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, [1, 2], First: true, Total: 6),
            new PacketPart(0, 1, [5, 6], Total: 6, Offset: 4));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, new byte[length], Total: total, Offset: offset));
        Assert.Equal(1UL, _world.Counters.Rejected[RejectReason.BadFragment]);

        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [3, 4], Total: 6, Offset: 2));

        Assert.Equal([1, 2, 3, 4, 5, 6], Assert.Single(_world.Contents));
        _world.AssertEverythingComesHome();
    }

    [Fact]
    public void PiecesOfLongMessagesStaySoWholeHeldAndInFragments()
    {
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 2, [2], IsPiece: true), new PacketPart(0, 3, [3], IsPiece: true),
            new PacketPart(0, 4, [4]), new PacketPart(0, 5, [5], Total: 2, IsPiece: true));
        Assert.Empty(_world.Log);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1], First: true, IsPiece: true));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 5, [6], Total: 2, Offset: 1, IsPiece: true));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 6, [7]));

        Assert.Equal(
            ["g10 n5#1 piece", "g10 n5#2 piece", "g10 n5#3 piece", "g10 n5#4", "g10 n5#5 piece", "g10 n5#6"],
            _world.Log);
        Assert.Equal([5, 6], _world.Contents[4]);
        _world.AssertEverythingComesHome();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void FragmentsOfAPieceAndOfAMessageContradictEachOther(bool isPieceFirst)
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1], First: true, Total: 2, IsPiece: isPieceFirst));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [2], Total: 2, Offset: 1, IsPiece: !isPieceFirst));
        Assert.Equal(1UL, _world.Counters.Rejected[RejectReason.BadFragment]);
        Assert.Empty(_world.Log);
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [2], Total: 2, Offset: 1, IsPiece: isPieceFirst));
        Assert.Equal([isPieceFirst ? "g10 n5#1 piece" : "g10 n5#1"], _world.Log);
    }

    [Fact]
    public void AMessageBothWholeAndInFragmentsIsAContradiction()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 2, [1], Total: 2), new PacketPart(0, 2, [1, 2]));
        _world.Receive(_view, _sender, 1, new PacketPart(0, 3, [1, 2]), new PacketPart(0, 3, [1], Total: 2));

        Assert.Equal(2UL, _world.Counters.Rejected[RejectReason.BadFragment]);
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, [7], First: true), new PacketPart(0, 2, [2], Total: 2, Offset: 1));
        Assert.Equal(["g10 n5#1", "g10 n5#2", "g10 n5#3"], _world.Log);
    }

    [Fact]
    public void AWholeMessageInPlaceOfTheNextInFragmentsIsAContradiction()
    {
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, [1], First: true, Total: 2), new PacketPart(0, 1, [1, 2]));
        Assert.Equal(1UL, _world.Counters.Rejected[RejectReason.BadFragment]);

        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [2], Total: 2, Offset: 1));

        Assert.Equal(["g10 n5#1"], _world.Log);
    }

    [Fact]
    public void TheSameFragmentAgainIsADuplicate()
    {
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, [1], First: true, Total: 2), new PacketPart(0, 1, [1], Total: 2));
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, [2], Total: 2, Offset: 1),
            new PacketPart(0, 1, [2], Total: 2, Offset: 1));

        Assert.Equal(["g10 n5#1"], _world.Log);
        Assert.Equal(2UL, _world.Counters.Duplicates);
        Assert.Equal(0UL, _world.Counters.Rejected.Total);
    }

    [Fact]
    public void AnUnfinishedMessageHoldsUpItsOwnGroupOnly()
    {
        _world.Receive(
            _view, _sender, 1, new PacketPart(0, 1, [1], First: true, Total: 2), new PacketPart(0, 2, [1]),
            new PacketPart(1, 1, [1], First: true));

        Assert.Equal(["g20 n5#1"], _world.Log);
    }

    [Fact]
    public void TheLongestMessageIsJoinedAndItsBuffersComeHome()
    {
        var world = new DeliveryWorld(maxHeldBytes: 64 << 20);
        world.Open(Group(10), Step(1));
        world.Deliverer.OnStepInstalled(Step(1), Now);
        const int Part = 1 << 15;
        byte[] message = new byte[PacketRecord.MaxMessageBytes];
        for (int index = 0; index < message.Length; index++) message[index] = (byte)((index * 7) + (index >> 11));

        // Even parts first, then odd ones: every other fragment goes in between.
        for (int turn = 0; turn < 2; turn++)
        {
            for (int offset = turn * Part; offset < message.Length; offset += 2 * Part)
            {
                world.Receive(
                    _view, _sender, 1,
                    new PacketPart(0, 1, message[offset..(offset + Part)], offset == 0, 0, message.Length, offset));
            }
        }

        Assert.True(message.AsSpan().SequenceEqual(Assert.Single(world.Contents)));
        Assert.Equal(0, world.Pool.OutstandingBytesOf(BufferOwner.Reassembly));
        Assert.Equal(1UL, world.Counters.Joined);
        world.AssertEverythingComesHome();
    }

    [Fact]
    public void ASmallFragmentOfAHugeMessageCostsLittleMemory()
    {
        _world.Receive(_view, _sender, 1, new PacketPart(0, 1, [1], First: true, Total: PacketRecord.MaxMessageBytes));

        Assert.Equal(0, _world.Pool.OutstandingBytesOf(BufferOwner.Reassembly));
        Assert.InRange(_world.Counters.HeldBytes, 1, 100);
    }
}
