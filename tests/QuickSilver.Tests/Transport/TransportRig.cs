using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>Starts transports of each kind, makes trains, and receives until something is true.</summary>
internal sealed class TransportRig : IDisposable
{
    private static int _groups = Random.Shared.Next(20_000);

    private readonly List<IHostTransport> _started = [];
    private readonly InProcessNetwork _network = new();

    /// <summary>A group address that no other test uses.</summary>
    public NetEndpoint Group { get; } = NewGroup();

    /// <summary>What all transports of the rig had to tell.</summary>
    public RecordingEvents Events { get; } = new();

    // Several datagrams to a train, whatever the machine's buffers: over loopback the usual datagram can be a whole
    // train.
    public static TransportSettings Settings { get; } = new()
    {
        PortFirst = 21_000,
        PortCount = 9_000,
        ReceiveBufferBytes = 1 << 20,
        MaxDatagramBytes = 8192,
    };

    public static NetEndpoint NewGroup()
    {
        int index = Interlocked.Increment(ref _groups) % 20_000;
        return new NetEndpoint(0xEFC04200 + (uint)(Environment.ProcessId % 256), (ushort)(40_000 + index));
    }

    public static TransportSettings For(string kind, TransportSettings settings) => kind switch
    {
        "in-process" => settings with { Carrier = CarrierPreference.InProcess },
        "portable" => settings with { FastPath = false },
        _ => settings,
    };

    /// <summary>Starts a transport; skips the test where the machine cannot do what it needs.</summary>
    public IHostTransport Start(string kind, TransportSettings? settings = null)
    {
        if (kind == "linux") Assert.SkipUnless(OperatingSystem.IsLinux(), "the fast path is for Linux");
        IHostTransport transport = TransportFactory.Start(
            For(kind, settings ?? Settings) with { Network = _network }, Events);
        Assert.Equal(kind, transport.Choice.Implementation);
        Assert.SkipUnless(
            transport.Facts.Multicast || settings is { Carrier: CarrierPreference.Unicast }, transport.Choice.Reason);
        _started.Add(transport);
        return transport;
    }

    /// <summary>A train of datagrams with numbers from <paramref name="first"/>; the last is half as long.</summary>
    public static Train Train(
        TrainRoute route,
        int count,
        int length,
        ulong first = 1,
        DatagramKind kind = DatagramKind.Data,
        NetEndpoint to = default,
        IRegionChannel? channel = null)
    {
        int last = count == 1 ? length : Math.Max(DatagramHeader.Length, length / 2);
        byte[] bytes = new byte[((count - 1) * length) + last];
        for (int index = 0; index < count; index++)
        {
            Span<byte> datagram = bytes.AsSpan(index * length, index == count - 1 ? last : length);
            datagram[DatagramHeader.Length..].Fill((byte)(first + (ulong)index));
            new DatagramHeader { Kind = kind, Sequence = first + (ulong)index }.WriteTo(datagram);
        }
        return new Train(bytes, length, route, to, channel);
    }

    /// <summary>Takes reads until <paramref name="enough"/> or until patience ends; buffers are copied and
    /// recycled.</summary>
    public static List<Completion> Receive(IHostTransport transport, Func<List<Completion>, bool> enough)
    {
        List<Completion> all = [];
        List<Completion> batch = [];
        long start = Stopwatch.GetTimestamp();
        while (!enough(all) && Stopwatch.GetElapsedTime(start) < NodeRig.Patience)
        {
            batch.Clear();
            if (transport.Take(batch, 64) == 0 && !transport.HasReady) transport.Wait(TimeSpan.FromMilliseconds(20));
            foreach (Completion completion in batch)
            {
                all.Add(
                    completion.IsDrained
                        ? completion : completion with { Buffer = completion.Span.ToArray(), Offset = 0 });
                transport.Recycle(completion);
            }
        }
        return all;
    }

    /// <summary>Takes reads until so many datagrams have come.</summary>
    public static List<Completion> ReceiveDatagrams(IHostTransport transport, int count) =>
        Receive(transport, all => Sequences(all).Count >= count);

    /// <summary>Numbers of the datagrams in reads, walked by their headers; -1 for what no header explains.</summary>
    public static List<long> Sequences(IEnumerable<Completion> completions)
    {
        List<long> sequences = [];
        foreach (Completion completion in completions)
        {
            ReadOnlySpan<byte> rest = completion.Span;
            while (!rest.IsEmpty)
            {
                bool isGood = DatagramHeader.TryRead(rest, out DatagramHeader header) == RejectReason.None
                    && rest[DatagramHeader.Length..header.TotalLength].IndexOfAnyExcept((byte)header.Sequence) < 0;
                sequences.Add(isGood ? (long)header.Sequence : -1);
                rest = isGood ? rest[header.TotalLength..] : default;
            }
        }
        return sequences;
    }

    public void Dispose()
    {
        foreach (IHostTransport transport in _started) transport.Dispose();
    }
}
