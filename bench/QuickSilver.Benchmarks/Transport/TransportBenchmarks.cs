using System.Net.Sockets;
using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Benchmarks.Transport;

/// <summary>
/// One train of 32 datagrams of 1000 bytes over loopback multicast to one receiver, sent and taken by the same thread:
/// what the transports add to the kernel's cost, beside bare sockets with one datagram a call. Figures are per
/// datagram.
/// </summary>
[MemoryDiagnoser]
public class TransportBenchmarks : ITransportEvents
{
    private const int Datagrams = 32;
    private const int Bytes = 1000;

    private readonly List<Completion> _batch = new(256);
    private readonly byte[] _bytes = new byte[Datagrams * Bytes];
    private readonly byte[] _read = new byte[1 << 16];
    private IHostTransport? _sender;
    private IHostTransport? _receiver;
    private Socket? _rawSender;
    private Socket? _rawReceiver;
    private Train _train;

    /// <summary>Opens a group that each variant uses in its own way.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        for (int index = 0; index < Datagrams; index++)
        {
            new DatagramHeader
            {
                Kind = DatagramKind.Data,
                Sequence = (ulong)index
            }.WriteTo(_bytes.AsSpan(index * Bytes, Bytes));
        }
    }

    /// <summary>Trains cut and joined by the kernel.</summary>
    [GlobalSetup(Target = nameof(Linux))]
    public void SetUpLinux() => Start(new TransportSettings());

    /// <summary>The same sockets, one datagram a call.</summary>
    [GlobalSetup(Target = nameof(LinuxOneByOne))]
    public void SetUpLinuxOneByOne() => Start(new TransportSettings { Segmentation = false, Coalescing = false });

    /// <summary>Asynchronous receives.</summary>
    [GlobalSetup(Target = nameof(Portable))]
    public void SetUpPortable() => Start(new TransportSettings { FastPath = false });

    /// <summary>Without sockets.</summary>
    [GlobalSetup(Target = nameof(InProcess))]
    public void SetUpInProcess() => Start(new TransportSettings { Carrier = CarrierPreference.InProcess });

    /// <summary>Sockets and nothing else.</summary>
    [GlobalSetup(Target = nameof(BareSockets))]
    public void SetUpBareSockets()
    {
        SetUp();
        var settings = new TransportSettings();
        NetworkChoice network = NetworkChoice.Find(settings);
        var sockets = new UdpSockets(settings, network);
        _rawReceiver = sockets.OpenReceiver(Group);
        _rawSender = sockets.OpenSender(Group, network.Address);
    }

    /// <summary>Closes all.</summary>
    [GlobalCleanup]
    public void CleanUp()
    {
        _sender?.Dispose();
        _receiver?.Dispose();
        _rawSender?.Dispose();
        _rawReceiver?.Dispose();
    }

    [Benchmark(OperationsPerInvoke = Datagrams)]
    public int Linux() => Exchange();

    [Benchmark(OperationsPerInvoke = Datagrams)]
    public int LinuxOneByOne() => Exchange();

    [Benchmark(OperationsPerInvoke = Datagrams)]
    public int Portable() => Exchange();

    [Benchmark(OperationsPerInvoke = Datagrams)]
    public int InProcess() => Exchange();

    [Benchmark(OperationsPerInvoke = Datagrams, Baseline = true)]
    public int BareSockets()
    {
        int taken = 0;
        for (int index = 0; index < Datagrams; index++)
        {
            _rawSender!.Send(_bytes.AsSpan(index * Bytes, Bytes), SocketFlags.None, out SocketError _);
            taken += _rawReceiver!.Receive(_read, SocketFlags.None, out SocketError _);
        }
        return taken;
    }

    void ITransportEvents.OnReceiveBufferSmall(int askedBytes, int grantedBytes, string remedy)
    {
        // Irrelevant here: a train at a time is in flight.
    }

    void ITransportEvents.OnFilesShort(long allowed, int needed)
    {
        // Irrelevant here: there is one region.
    }

    void ITransportEvents.OnSegmentationRefused(string socket, string error) =>
        throw new InvalidOperationException(error);

    void ITransportEvents.OnCoalescingRefused(string error) => throw new InvalidOperationException(error);

    void ITransportEvents.OnSharedMemoryRefused(string reason) => throw new InvalidOperationException(reason);

    void ITransportEvents.OnSendFailed(string socket, string error) => throw new InvalidOperationException(error);

    void ITransportEvents.OnMulticastUnavailable(string reason) => throw new InvalidOperationException(reason);

    void ITransportEvents.OnOpenFailed(NetEndpoint group, string error) => throw new InvalidOperationException(error);

    private static NetEndpoint Group => new(0xEFC04207, 15_707);

    private void Start(TransportSettings settings)
    {
        SetUp();
        _sender = TransportFactory.Start(settings, this);
        _receiver = TransportFactory.Start(settings, this);
        _receiver.Open(Group, receive: true);
        _train = new Train(_bytes, Bytes, TrainRoute.Region, default, _sender.Open(Group, receive: false));
    }

    private int Exchange()
    {
        _sender!.Send(_train);
        int taken = 0;
        while (taken < _bytes.Length)
        {
            _batch.Clear();
            if (_receiver!.Take(_batch, 64) == 0) _receiver.Wait(TimeSpan.FromMilliseconds(10));
            foreach (Completion completion in _batch)
            {
                if (completion.IsDrained) continue;
                taken += completion.Length;
                _receiver.Recycle(completion);
            }
        }
        return taken;
    }
}
