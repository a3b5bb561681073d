using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Tests;
using QuickSilver.Tests.Api;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>Datagrams that the kernel does not join into trains: many are read by one call, into small slots.</summary>
public sealed class LoneReaderTests : IDisposable
{
    private readonly TransportRig _rig = new();

    public void Dispose() => _rig.Dispose();

    [Fact]
    public void Structures_are_laid_out_as_the_kernel_has_them()
    {
        Assert.Equal(64, Marshal.SizeOf<LinuxNative.MessageHeader>());
        Assert.Equal(56, Marshal.OffsetOf<LinuxNative.MessageHeader>(nameof(LinuxNative.MessageHeader.Length)));
        Assert.Equal(16, Marshal.SizeOf<LinuxNative.BufferPart>());
        Assert.Equal(32, Marshal.SizeOf<LinuxNative.SocketAddressAny>());
    }

    [Fact]
    public void Lone_datagrams_lie_side_by_side_and_keep_their_order_and_source()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        SendAlone(sender, receiver, first: 1, count: 200);
        List<Completion> reads = TakeAll(receiver, 200);

        Assert.Equal(Numbers(1, 200), TransportRig.Sequences(reads));
        Assert.All(reads, read => Assert.Equal(sender.Facts.Data, read.Source));
        // The first reads show that datagrams come alone.
        Assert.True(reads.Count(static read => read.Buffer.Length == LoneBuffers.SlabBytes) > 150);
        Recycle(receiver, reads);
    }

    [Fact]
    public void Reads_that_are_kept_stay_as_they_are_while_others_come()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        SendAlone(sender, receiver, first: 1, count: 100);
        List<Completion> kept = TakeAll(receiver, 100);
        for (ulong first = 101; first < 1_001; first += 100)
        {
            SendAlone(sender, receiver, first, count: 100);
            List<Completion> others = TakeAll(receiver, 100);
            Assert.Equal(Numbers((int)first, 100), TransportRig.Sequences(others));
            Recycle(receiver, others);
        }
        Assert.Equal(Numbers(1, 100), TransportRig.Sequences(kept));
        Recycle(receiver, kept);
    }

    [Fact]
    public void A_train_among_lone_datagrams_is_whole()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        SendAlone(sender, receiver, first: 1, count: 60);
        Assert.Equal(
            SendOutcome.Sent,
            sender.Send(TransportRig.Train(TrainRoute.Unicast, 40, 1000, 61, to: receiver.Facts.Data)));
        SendAlone(sender, receiver, first: 101, count: 60);

        List<Completion> reads = TakeAll(receiver, 160);
        Assert.Equal(Numbers(1, 160), TransportRig.Sequences(reads));
        Recycle(receiver, reads);
    }

    [Fact]
    public void Empty_datagrams_are_passed_over()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        using var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var to = new IPEndPoint(
            IPAddress.Parse(receiver.Facts.Data.Address.ToString()), receiver.Facts.Data.Port);
        SendAlone(sender, receiver, first: 1, count: 40);
        for (int count = 0; count < 5; count++) stranger.SendTo([], to);
        SendAlone(sender, receiver, first: 41, count: 40);

        List<Completion> reads = TakeAll(receiver, 80);
        Assert.Equal(Numbers(1, 80), TransportRig.Sequences(reads));
        Assert.True(receiver.Counters.EmptyReads >= 5);
        Recycle(receiver, reads);
    }

    [Fact]
    public void Nothing_is_allocated_for_a_lone_datagram()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        List<Completion> batch = new(64);
        Train train = TransportRig.Train(TrainRoute.Unicast, 1, 1000, to: receiver.Facts.Data);
        Exchange();
        Assert.Equal(0, AllocatedBytes.Of(Exchange));

        void Exchange()
        {
            for (int turn = 0; turn < 20; turn++)
            {
                for (int count = 0; count < 50; count++) sender.Send(train);
                for (int taken = 0; taken < 50; taken += batch.Count)
                {
                    batch.Clear();
                    receiver.Take(batch, 64);
                    batch.RemoveAll(static read => read.IsDrained);
                    foreach (Completion read in batch) receiver.Recycle(read);
                }
            }
        }
    }

    private static void SendAlone(IHostTransport sender, IHostTransport receiver, ulong first, int count)
    {
        for (ulong number = first; number < first + (ulong)count; number++)
        {
            Train train = TransportRig.Train(TrainRoute.Unicast, 1, 500 + (int)number, number, to: receiver.Facts.Data);
            Assert.Equal(SendOutcome.Sent, sender.Send(train));
        }
    }

    // Keeps what it takes: nothing is recycled.
    private static List<Completion> TakeAll(IHostTransport receiver, int count)
    {
        List<Completion> all = [];
        List<Completion> batch = [];
        long start = Stopwatch.GetTimestamp();
        while (TransportRig.Sequences(all).Count < count && Stopwatch.GetElapsedTime(start) < NodeRig.Patience)
        {
            batch.Clear();
            if (receiver.Take(batch, 64) == 0 && !receiver.HasReady) receiver.Wait(TimeSpan.FromMilliseconds(20));
            all.AddRange(batch.Where(static read => !read.IsDrained));
        }
        return all;
    }

    private static void Recycle(IHostTransport receiver, List<Completion> reads) =>
        reads.ForEach(read => receiver.Recycle(read));

    private static IEnumerable<long> Numbers(int first, int count) =>
        Enumerable.Range(first, count).Select(static number => (long)number);
}
