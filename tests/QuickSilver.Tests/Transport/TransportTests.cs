using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Tests;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>What every transport promises, on real sockets and in process.</summary>
public sealed class TransportTests : IDisposable
{
    private readonly TransportRig _rig = new();

    public static TheoryData<string> Kinds => ["linux", "portable", "in-process"];

    public void Dispose() => _rig.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_train_to_a_region_reaches_every_member_whole_and_splits_by_its_headers(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport[] members = [_rig.Start(kind), _rig.Start(kind)];
        IRegionChannel channel = sender.Open(_rig.Group, receive: false)!;
        IRegionChannel[] joined = [.. members.Select(member => member.Open(_rig.Group, receive: true)!)];

        Assert.Equal(SendOutcome.Sent, sender.Send(TransportRig.Train(TrainRoute.Region, 16, 1000, channel: channel)));

        for (int index = 0; index < members.Length; index++)
        {
            List<Completion> reads = TransportRig.ReceiveDatagrams(members[index], 16);
            Assert.Equal(Enumerable.Range(1, 16).Select(static number => (long)number), TransportRig.Sequences(reads));
            Assert.All(reads, read => Assert.Same(joined[index], read.Channel));
            Assert.All(reads, static read => Assert.Equal(SocketRole.Multicast, read.Role));
        }
        Assert.Equal(16UL, sender.Counters.DatagramsSent);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Unicast_arrives_by_the_socket_of_its_role_with_the_priority_of_its_kind(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        sender.Send(TransportRig.Train(TrainRoute.Control, 1, 100, 1, DatagramKind.Nak, receiver.Facts.Control));
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 3, 1000, 2, DatagramKind.Repair, receiver.Facts.Data));

        List<Completion> reads = TransportRig.ReceiveDatagrams(receiver, 4).FindAll(static read => !read.IsDrained);
        Completion nak = Assert.Single(reads, static read => read.Role == SocketRole.Control);
        Assert.Equal(PriorityClass.Request, nak.Priority);
        List<Completion> repairs = reads.FindAll(static read => read.Role == SocketRole.Unicast);
        Assert.Equal([2L, 3L, 4L], TransportRig.Sequences(repairs));
        Assert.All(repairs, static read => Assert.Equal(PriorityClass.Repair, read.Priority));
        Assert.All(repairs, static read => Assert.Null(read.Channel));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_data_socket_found_empty_after_reads_is_reported_once_and_after_them(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        IRegionChannel joined = receiver.Open(_rig.Group, receive: true)!;
        sender.Send(TransportRig.Train(TrainRoute.Region, 2, 500, channel: sender.Open(_rig.Group, receive: false)));

        List<Completion> all = TransportRig.Receive(receiver, static all => all.Exists(static one => one.IsDrained));
        Assert.Equal([1L, 2L], TransportRig.Sequences(all));
        Completion drained = Assert.Single(all, static one => one.IsDrained);
        Assert.Same(joined, drained.Channel);
        Assert.True(all[^1].IsDrained);
        Assert.Empty(Take(receiver));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Whether_datagrams_come_singly_or_together_all_are_read_before_a_socket_is_said_to_be_empty(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        receiver.Open(_rig.Group, receive: true);
        IRegionChannel sending = sender.Open(_rig.Group, receive: false)!;
        ulong sent = 0;
        // Long enough apart for a reader to expect no more than one, then many at once, twice, and again one at a time.
        foreach (int together in (int[])[
            .. Enumerable.Repeat(1, 40), 3, 1, 1, 1, 1, 1, 1, 5, .. Enumerable.Repeat(1, 10)])
        {
            ulong first = sent + 1;
            for (int index = 0; index < together; index++)
                sender.Send(TransportRig.Train(TrainRoute.Region, 1, 300, ++sent, channel: sending));
            List<Completion> all = TransportRig.Receive(
                receiver,
                all => TransportRig.Sequences(all).Count >= together && all.Exists(static one => one.IsDrained));
            Assert.Equal(
                Enumerable.Range((int)first, together).Select(static number => (long)number),
                TransportRig.Sequences(all));
            Assert.Single(all, static one => one.IsDrained);
            Assert.True(all[^1].IsDrained);
        }
        Assert.Empty(Take(receiver));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Control_datagrams_make_empty_data_sockets_say_that_they_are_empty(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        IRegionChannel joined = receiver.Open(_rig.Group, receive: true)!;
        sender.Send(TransportRig.Train(TrainRoute.Control, 1, 100, 1, DatagramKind.Token, receiver.Facts.Control));

        List<Completion> all = TransportRig.Receive(receiver, static all => all.Count >= 3);
        Assert.Equal(SocketRole.Control, all[0].Role);
        Assert.Contains(all, one => one.IsDrained && one.Role == SocketRole.Multicast && one.Channel == joined);
        Assert.Contains(all, static one => one.IsDrained && one.Role == SocketRole.Unicast && one.Channel is null);
        Assert.Equal(3, all.Count);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_address_opened_twice_is_one_channel_that_receives_while_any_opener_wants_to(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        IRegionChannel sending = sender.Open(_rig.Group, receive: false)!;
        IRegionChannel first = receiver.Open(_rig.Group, receive: true)!;
        Assert.Same(first, receiver.Open(_rig.Group, receive: true));
        Assert.Same(first, receiver.Open(_rig.Group, receive: false));

        receiver.Close(first, receive: true);
        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, 1, channel: sending));
        Assert.Equal([1L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 1)));

        receiver.Close(first, receive: true);
        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, 2, channel: sending));
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 1, 100, 3, to: receiver.Facts.Data));
        Assert.Equal([3L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 1)));

        receiver.Close(first, receive: false);
        Assert.NotSame(first, receiver.Open(_rig.Group, receive: true));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Groups_of_others_are_not_received(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        IHostTransport other = _rig.Start(kind);
        var second = new NetEndpoint(_rig.Group.Address.IPv4 ^ 0x80, _rig.Group.Port);
        receiver.Open(_rig.Group, receive: true);
        other.Open(second, receive: true);

        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, 1, channel: sender.Open(second, receive: false)));
        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, 2, channel: sender.Open(_rig.Group, receive: false)));
        Assert.Equal([2L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 1)));
        Assert.Equal([1L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(other, 1)));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_wait_ends_by_a_wake_from_another_thread_even_one_that_came_before(string kind)
    {
        IHostTransport transport = _rig.Start(kind);
        Settle(transport);
        Assert.False(transport.Wait(TimeSpan.FromMilliseconds(1)));
        transport.Wake();
        Assert.True(transport.Wait(Timeout.InfiniteTimeSpan));
        Task waiting = Task.Run(() => transport.Wait(Timeout.InfiniteTimeSpan), CancellationToken.None);
        transport.Wake();
        await waiting.WaitAsync(NodeRig.Patience);
        Assert.Empty(Take(transport));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_a_full_receive_buffer_dropped_is_counted(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind, TransportRig.Settings with { ReceiveBufferBytes = 64 << 10 });
        if (kind != "in-process") Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells");
        IRegionChannel joined = receiver.Open(_rig.Group, receive: true)!;
        IRegionChannel sending = sender.Open(_rig.Group, receive: false)!;
        for (ulong index = 0; index < 200; index++)
            sender.Send(TransportRig.Train(TrainRoute.Region, 8, 1000, index, channel: sending));

        Assert.True(joined.Drops > 0);
        ulong drops = joined.Drops;
        receiver.Close(joined, receive: true);
        Assert.True(receiver.ReadSocketDrops() >= drops);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Sending_and_receiving_allocate_nothing_once_warm(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        IRegionChannel sending = sender.Open(_rig.Group, receive: false)!;
        receiver.Open(_rig.Group, receive: true);
        Train multicast = TransportRig.Train(TrainRoute.Region, 8, 1000, channel: sending);
        Train unicast = TransportRig.Train(TrainRoute.Control, 1, 200, 1, DatagramKind.Ack, receiver.Facts.Control);
        List<Completion> batch = new(256);
        for (int round = 0; round < 200; round++) Exchange(sender, receiver, multicast, unicast, batch);
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int round = 0; round < 200; round++) Exchange(sender, receiver, multicast, unicast, batch);
        }));
    }

    private static void Exchange(
        IHostTransport sender, IHostTransport receiver, in Train multicast, in Train unicast, List<Completion> batch)
    {
        sender.Send(multicast);
        sender.Send(unicast);
        int reads = 0;
        while (reads < 2)
        {
            batch.Clear();
            if (receiver.Take(batch, 64) == 0) receiver.Wait(TimeSpan.FromMilliseconds(5));
            foreach (Completion completion in batch)
            {
                if (completion.IsDrained) continue;
                reads++;
                receiver.Recycle(completion);
            }
        }
    }

    private static List<Completion> Take(IHostTransport transport)
    {
        List<Completion> batch = [];
        transport.Take(batch, 64);
        return batch;
    }

    private static void Settle(IHostTransport transport) => Take(transport);
}
