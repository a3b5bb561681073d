using BenchmarkDotNet.Attributes;
using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Benchmarks.Inboxes;

/// <summary>
/// From the core's delivery to the reader, per message: stored, published, read as a lease, returned. The inbox of one
/// group, and a shared inbox over groups that get a message each in turn. Both sides run on one thread, so what they
/// cost adds up.
/// </summary>
[MemoryDiagnoser]
public class InboxBenchmarks
{
    private const int Messages = 20_480;
    private const int MessagesATurn = 512;
    private const int Bytes = 100;

    private readonly BufferPool _pool = new();
    private readonly NodeInboxes _node = new(1L << 30, static () => { });
    private readonly Slice[] _slices = new Slice[MessagesATurn];
    private NodeInfo? _sender;
    private InboxCore? _own;
    private InboxReader? _ownReader;
    private SharedInbox? _shared;
    private SharedReader? _sharedReader;
    private SharedPart[] _parts = [];
    private ulong _number = 1;
    private int _group;

    /// <summary>Groups of the shared inbox.</summary>
    [Params(1, 100, 10_000)]
    public int Groups { get; set; }

    /// <summary>Makes the inboxes.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        _sender = new NodeInfo(new NodeNumber(new Epoch(1, 7), 9), "sender", 1, default, default, 1 << 20);
        var limits = new InboxLimits(65_536, 64 << 20, OverflowPolicy.FailGroup, BufferBeforeFirstRead: true);
        _own = new InboxCore(new Owner(), _node, limits);
        _ownReader = _own.BeginRead();
        _shared = new SharedInbox(_node, limits.Capacity, limits.Bytes);
        _parts = [.. Enumerable.Range(0, Groups).Select(_ => _shared.CreatePart(new Owner(), limits))];
        _sharedReader = _shared.BeginRead();
        var arena = new Arena(_pool, BufferOwner.Cache);
        for (int index = 0; index < _slices.Length; index++) _slices[index] = arena.Take(Bytes);
    }

    /// <summary>One group, with an inbox of its own.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public long Own()
    {
        long bytes = 0;
        for (int turn = 0; turn < Messages / MessagesATurn; turn++)
        {
            foreach (Slice slice in _slices) _own!.OnMessages(_sender!, new DeliveryBatch(_number++, slice));
            _own!.Publish();
            while (_ownReader!.NextMessage(out InboxEntry entry) == ReadOutcome.Entry)
            {
                using MessageLease lease = _ownReader.Lease(entry);
                bytes += lease.Payload.Length;
            }
            _node.Returns.Drain();
        }
        return bytes;
    }

    /// <summary>Groups that share an inbox, each message of the next one.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long Shared()
    {
        long bytes = 0;
        for (int turn = 0; turn < Messages / MessagesATurn; turn++)
        {
            foreach (Slice slice in _slices)
            {
                _parts[_group].OnMessages(_sender!, new DeliveryBatch(_number++, slice));
                if (++_group == _parts.Length) _group = 0;
            }
            _node.PublishShared();
            while (_sharedReader!.NextMessage(out SharedEntry entry) == ReadOutcome.Entry)
            {
                using MessageLease lease = _sharedReader.Lease(entry);
                bytes += lease.Payload.Length;
            }
            _node.Returns.Drain();
        }
        return bytes;
    }

    private sealed class Owner : IInboxOwner
    {
        public string Name => "group";

        public object Facade => this;

        public ulong? ReadKey(in DeliveredMessage message) => null;

        public void OnDropped(NodeInfo sender, LossReason reason)
        {
        }

        public void OnOverflow(long backlog, long bytes, long leasedBytes) =>
            throw new InvalidOperationException("The inbox is full.");
    }
}
