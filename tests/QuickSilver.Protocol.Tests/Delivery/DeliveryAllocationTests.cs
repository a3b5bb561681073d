using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

public class DeliveryAllocationTests : IDeliveryListener
{
    private const int Burst = 24;
    private const int RunLength = 10;

    private readonly BufferPool _pool = new();
    private readonly byte[] _scratch = new byte[DatagramHeader.MaxDatagram];
    private readonly Slice[] _packets = new Slice[Burst];
    private readonly RegionView _view = View(1, firstStep: 1, 10, 20, 30);
    private readonly NodeInfo[] _senders = [
        Node(1), Node(2), Node(3), Node(4), Node(5), Node(6), Node(7), Node(8), Node(9)];
    private readonly Deliverer _deliverer;
    private readonly Arena _arena;
    private readonly SeededRandom _random = new(5);
    private ulong _next = 1;
    private ulong _step = 1;
    private ulong _delivered;
    private ulong _rounds;

    public DeliveryAllocationTests()
    {
        _arena = new Arena(_pool, BufferOwner.Cache);
        _deliverer = new Deliverer(new DeliverySettings(), _pool, new DeliveryCounters(new RejectCounters()));
        foreach (uint group in new uint[] { 10, 20, 30 }) _deliverer.OpenGroup(Group(group), Step(1), this);
        _deliverer.OnStepInstalled(Step(1), Now);
    }

    void IDeliveryListener.OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now) =>
        _delivered += (ulong)run.Count;

    void IDeliveryListener.OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
        Assert.Fail("nothing is lost");

    void IDeliveryListener.OnSenderClosed(NodeInfo sender, Instant now)
    {
    }

    [Fact]
    public void InOrderPacketsAllocateNothing()
    {
        InOrder();

        Assert.Equal(0, AllocatedBytes.Of(InOrder));
        Assert.Equal(_rounds * Burst * 3 * 9, _delivered);
    }

    [Fact]
    public void ReorderedPacketsAndFragmentsAllocateNothing()
    {
        for (int warm = 0; warm < 20; warm++) OutOfOrder();

        Assert.Equal(0, AllocatedBytes.Of(OutOfOrder));
        Assert.Equal(_rounds * ((Burst * 2) + (Burst / 4)) * 9, _delivered);
    }

    [Fact]
    public void RunsOfRepairedPacketsAllocateNothing()
    {
        for (int warm = 0; warm < 20; warm++) RunsOutOfOrder();

        Assert.Equal(0, AllocatedBytes.Of(RunsOutOfOrder));
        Assert.Equal(_rounds * Burst * RunLength * 9, _delivered);
    }

    [Fact]
    public void PacketsThatWaitForTheirStepAllocateNothing()
    {
        for (int warm = 0; warm < 3; warm++) AheadOfTheStep();

        Assert.Equal(0, AllocatedBytes.Of(AheadOfTheStep));
        Assert.Equal(_rounds * Burst * 3 * 9, _delivered);
    }

    private void InOrder()
    {
        _rounds++;
        foreach (NodeInfo sender in _senders)
        {
            for (ulong index = 0; index < Burst; index++) Hand(sender, Store(_next + index, fragments: false));
        }
        _next += Burst;
    }

    private void OutOfOrder()
    {
        _rounds++;
        foreach (NodeInfo sender in _senders)
        {
            for (int index = 0; index < Burst; index++)
                _packets[index] = Store(_next + (ulong)index, fragments: true);
            HandShuffled(sender);
        }
        _next += Burst;
    }

    private void RunsOutOfOrder()
    {
        _rounds++;
        foreach (NodeInfo sender in _senders)
        {
            for (int index = 0; index < Burst; index++)
                _packets[index] = StoreBatch(_next + (ulong)(index * RunLength));
            HandShuffled(sender);
        }
        _next += Burst * RunLength;
    }

    private void HandShuffled(NodeInfo sender)
    {
        for (int index = Burst - 1; index > 0; index--)
        {
            int other = (int)_random.NextBelow((ulong)index + 1);
            (_packets[index], _packets[other]) = (_packets[other], _packets[index]);
        }
        foreach (Slice packet in _packets) Hand(sender, packet);
    }

    private void AheadOfTheStep()
    {
        _step++;
        InOrder();
        _deliverer.OnStepInstalled(Step(_step), Now);
    }

    private void Hand(NodeInfo sender, Slice packet)
    {
        if (!Deliverer.IsWellFormed(_view, packet.Span) || !_deliverer.Cap.Allows(_view, sender, packet.Span))
            Assert.Fail("refused");
        _deliverer.OnPacket(_view, sender, packet, Now);
        packet.Release();
    }

    /// <summary>A packet with a message for each of two groups, and for the third a message too or a quarter of
    /// one.</summary>
    private Slice Store(ulong number, bool fragments)
    {
        var writer = new WireWriter(_scratch.AsSpan(DatagramHeader.Length));
        writer.WriteVarint(_step - 1);
        Write(ref writer, 0, number, 100, 0, 100);
        Write(ref writer, 1, number, 100, 0, 100);
        if (fragments) Write(ref writer, 2, ((number - 1) / 4) + 1, 400, (int)((number - 1) % 4) * 100, 100);
        else Write(ref writer, 2, number, 100, 0, 100);
        return _arena.Copy(_scratch.AsSpan(0, DatagramHeader.Length + writer.Written));
    }

    private Slice StoreBatch(ulong first)
    {
        var writer = new WireWriter(_scratch.AsSpan(DatagramHeader.Length));
        writer.WriteVarint(_step - 1);
        for (ulong number = first; number < first + RunLength; number++) Write(ref writer, 0, number, 100, 0, 100);
        return _arena.Copy(_scratch.AsSpan(0, DatagramHeader.Length + writer.Written));
    }

    private static void Write(ref WireWriter writer, int group, ulong number, int total, int offset, int length)
    {
        PacketRecord.WriteHead(ref writer, ServerEpoch, group, number, number == 1, default, total, offset, length);
        writer.Reserve(length);
    }
}
