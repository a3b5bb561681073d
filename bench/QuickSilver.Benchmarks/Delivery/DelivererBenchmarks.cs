using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using ProtocolView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Benchmarks.Delivery;

/// <summary>
/// From a stored packet to the handler, per packet: the check of its format, and the delivery of its messages in the
/// order of their numbers. In order, and with every second pair of packets exchanged, so that half of the messages are
/// held. There is no part of the framework that does this.
/// </summary>
[MemoryDiagnoser]
public class DelivererBenchmarks : IDeliveryListener
{
    private const int Packets = 64;
    private const int Groups = 100;

    private static readonly Epoch ServerEpoch = new(1, 7);

    private readonly BufferPool _pool = new();
    private readonly Slice[] _packets = new Slice[Packets];
    private Deliverer? _deliverer;
    private ProtocolView? _view;
    private NodeInfo? _sender;
    private ulong _next = 1;
    private ulong _delivered;

    /// <summary>Messages in a packet, each of another group.</summary>
    [Params(1, 10)]
    public int Messages { get; set; }

    /// <summary>Whether pairs of packets are exchanged.</summary>
    [Params(false, true)]
    public bool Exchanged { get; set; }

    /// <summary>Opens the groups.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        _deliverer = new Deliverer(new DeliverySettings(), _pool, new DeliveryCounters(new RejectCounters()));
        GroupId[] ids = [.. Enumerable.Range(1, Groups).Select(group => new GroupId(ServerEpoch, (uint)group))];
        var step = new StepNumber(ServerEpoch, 1);
        foreach (GroupId id in ids) _deliverer.OpenGroup(new GroupInfo(id, $"group {id.Counter}", 0), step, this);
        _deliverer.OnStepInstalled(step, Instant.Zero);
        _sender = new NodeInfo(new NodeNumber(ServerEpoch, 9), "sender", 1, default, default, 1 << 20);
        _view = new ProtocolView(
            new ViewNumber(ServerEpoch, 1), new RegionInfo(new RegionId(ServerEpoch, 1), [.. ids]), step, [_sender],
            default, 5);
        for (int index = 0; index < Packets; index++) _packets[index] = new Slice(_pool.Rent(BufferOwner.Cache), 0, 0);
    }

    /// <summary>Takes the packets; writing their numbers, which is not what is measured, costs a fraction of
    /// it.</summary>
    [Benchmark(OperationsPerInvoke = Packets)]
    public ulong Deliver()
    {
        for (int index = 0; index < Packets; index++) _packets[index] = Write(_packets[index], _next++);
        for (int index = 0; index < Packets; index++)
        {
            Slice packet = _packets[Exchanged && index % 4 < 2 ? index ^ 1 : index];
            if (Deliverer.IsWellFormed(_view!, packet.Span))
                _deliverer!.OnPacket(_view!, _sender!, packet, Instant.Zero);
        }
        return _delivered;
    }

    void IDeliveryListener.OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now) =>
        _delivered += (ulong)run.Count;

    void IDeliveryListener.OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
        throw new InvalidOperationException("nothing is lost");

    void IDeliveryListener.OnSenderClosed(NodeInfo sender, Instant now)
    {
    }

    private Slice Write(Slice packet, ulong number)
    {
        var writer = new WireWriter(packet.Chunk!.GetSpan()[DatagramHeader.Length..]);
        writer.WriteVarint(0);
        for (int group = 0; group < Messages; group++)
        {
            PacketRecord.WriteHead(ref writer, ServerEpoch, group, number, number == 1, default, 100, 0, 100);
            writer.Reserve(100);
        }
        return packet with { Length = DatagramHeader.Length + writer.Written };
    }
}
