using QuickSilver.Fuzz.Inputs;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests.Wire;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>What is refused before it is stored, and that nothing which is accepted does harm.</summary>
public class PacketFormatTests
{
    private static readonly byte[] X = [1, 2, 3];

    private readonly RegionView _view = View(1, firstStep: 4, 10, 20);

    [Fact]
    public void APacketOfWholeMessagesAndFragmentsIsWellFormed() => Assert.True(Deliverer.IsWellFormed(
        _view,
        Datagram(
            _view, 9, new PacketPart(0, 1, X, First: true, Previous: 3),
            new PacketPart(1, 7, X, Total: 10, Offset: 7))));

    [Fact]
    public void APacketWithoutARecordIsNotWellFormed()
    {
        Assert.False(Deliverer.IsWellFormed(_view, Datagram(_view, 4)));
        Assert.False(Deliverer.IsWellFormed(_view, new byte[DatagramHeader.Length]));
    }

    [Fact]
    public void APacketOfAGroupThatTheRegionHasNotIsNotWellFormed() =>
        Assert.False(Deliverer.IsWellFormed(_view, Datagram(_view, 4, new PacketPart(2, 1, X))));

    [Fact]
    public void APacketWithTheHighestNumberOfAllIsNotWellFormed()
    {
        Assert.False(Deliverer.IsWellFormed(_view, Datagram(_view, 4, new PacketPart(0, ulong.MaxValue, X))));
        Assert.True(Deliverer.IsWellFormed(_view, Datagram(_view, 4, new PacketPart(0, ulong.MaxValue - 1, X))));
    }

    [Fact]
    public void APacketOfAStepBeyondTheNumbersIsNotWellFormed()
    {
        Assert.True(Deliverer.IsWellFormed(_view, Datagram(_view, ulong.MaxValue, new PacketPart(0, 1, X))));
        Assert.False(Deliverer.IsWellFormed(_view, Datagram(_view, 3, new PacketPart(0, 1, X))));
    }

    [Fact]
    public void APacketWithARecordThatIsCutOffIsNotWellFormed()
    {
        byte[] datagram = Datagram(_view, 4, new PacketPart(0, 1, X), new PacketPart(1, 1, X));
        for (int length = DatagramHeader.Length; length < datagram.Length; length++)
        {
            // Between the records a packet may end.
            bool between = length == DatagramHeader.Length + 1 + 4 + X.Length;
            Assert.Equal(between, Deliverer.IsWellFormed(_view, datagram.AsSpan(0, length)));
        }
    }

    [Fact]
    public void DamagedPacketsNeitherThrowNorLeaveAnythingBehind()
    {
        byte[][] valid =
        [
            Body(
                1, new PacketPart(0, 1, X, First: true), new PacketPart(0, 2, X),
                new PacketPart(1, 1, X, First: true, Previous: 2)),
            Body(1, new PacketPart(0, 3, X, Total: 9), new PacketPart(1, 3, X)),
            Body(3, new PacketPart(0, 3, X, Total: 9, Offset: 3), new PacketPart(1, 2, X)),
            Body(0, new PacketPart(0, 3, X, Total: 9, Offset: 6), new PacketPart(0, 4, X)),
        ];
        var world = new DeliveryWorld(maxHeldBytes: 10_000);
        GroupReceiver?[] groups = new GroupReceiver?[2];
        NodeInfo[] senders = [Node(7), Node(8)];
        var mutator = new Mutator(9, valid, 1000);
        int accepted = 0;
        for (int turn = 0; turn < 40_000; turn++)
        {
            if (turn % 200 == 0) Move(world, groups, turn / 200);
            byte[] datagram = [.. new byte[DatagramHeader.Length], .. mutator.Next()];
            NodeInfo sender = senders[turn % 2];
            if (!Deliverer.IsWellFormed(_view, datagram) || !world.Deliverer.Cap.Allows(_view, sender, datagram))
                continue;
            accepted++;
            world.Hand(_view, sender, datagram);
        }
        Assert.InRange(accepted, 2000, 40_000);
        Assert.NotEmpty(world.Log);
        Assert.True(world.Counters.HeldBytes <= 11_000);
        world.AssertEverythingComesHome();
    }

    [Fact]
    public void DamagedPacketsAreRefusedWithoutAllocation() => Totality.Check(
        input =>
        {
            Span<byte> datagram = stackalloc byte[DatagramHeader.Length + 2048];
            input.CopyTo(datagram[DatagramHeader.Length..]);
            return Deliverer.IsWellFormed(_view, datagram[..(DatagramHeader.Length + input.Length)]);
        },
        Body(1, new PacketPart(0, 1, new byte[40], First: true), new PacketPart(1, 3, new byte[30], Total: 900)));

    private static void Move(DeliveryWorld world, GroupReceiver?[] groups, int turn)
    {
        int group = turn % 2;
        if (groups[group] is { } open) world.Deliverer.CloseGroup(open);
        groups[group] = world.Open(Group((uint)(group + 1) * 10), Step(4));
        world.Deliverer.OnStepInstalled(Step((ulong)(4 + (turn % 5))), Now);
    }

    private byte[] Body(ulong step, params ReadOnlySpan<PacketPart> parts) =>
        Datagram(_view, 4 + step, parts)[DatagramHeader.Length..];
}
