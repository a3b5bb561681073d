using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>What only sockets can get wrong: refusals by the kernel, start-up, and junk from the network.</summary>
public sealed class SocketTransportTests : IDisposable
{
    private readonly TransportRig _rig = new();

    public static TheoryData<string> Kinds => ["linux", "portable"];

    public void Dispose() => _rig.Dispose();

    [Fact]
    public void On_linux_a_train_leaves_in_one_call_and_arrives_in_one_read()
    {
        IHostTransport sender = _rig.Start("linux");
        IHostTransport receiver = _rig.Start("linux");
        NeedsSegmentation(sender);
        receiver.Open(_rig.Group, receive: true);
        sender.Send(TransportRig.Train(TrainRoute.Region, 60, 1000, channel: sender.Open(_rig.Group, receive: false)));

        List<Completion> reads = TransportRig.ReceiveDatagrams(receiver, 60).FindAll(static read => !read.IsDrained);
        Assert.Single(reads);
        Assert.Equal(60, TransportRig.Sequences(reads).Count);
        Assert.Equal(1UL, sender.Counters.TrainsSent);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Regions_beyond_a_bound_share_one_socket(string kind)
    {
        const int regions = 3 * RegionSenders.MaxConnected;
        var sender = (SocketTransport)_rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        NetEndpoint[] groups = [.. Enumerable.Range(0, regions).Select(_ => TransportRig.NewGroup())];
        List<IRegionChannel> channels = [];
        for (int index = 0; index < regions; index++)
        {
            if (index % 15 == 0) Assert.NotNull(receiver.Open(groups[index], receive: true));
            channels.Add(sender.Open(groups[index], receive: false)!);
        }
        foreach (IRegionChannel channel in channels)
        {
            ulong first = 1 + (10 * (ulong)channels.IndexOf(channel));
            Train train = TransportRig.Train(TrainRoute.Region, 3, 100, first, channel: channel);
            Assert.Equal(SendOutcome.Sent, sender.Send(train));
        }
        Assert.Equal(RegionSenders.MaxConnected, sender.ConnectedSenders);
        Assert.Equal(
            [1L, 2L, 3L, 151L, 152L, 153L, 301L, 302L, 303L, 451L, 452L, 453L],
            TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 12)).Order());

        // A region that ends leaves its socket's place to another.
        sender.Close(channels[0], receive: false);
        Assert.Equal(RegionSenders.MaxConnected - 1, sender.ConnectedSenders);
        IRegionChannel next = sender.Open(TransportRig.NewGroup(), receive: false)!;
        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, channel: next));
        Assert.Equal(RegionSenders.MaxConnected, sender.ConnectedSenders);
        for (int index = 1; index < regions; index++) sender.Close(channels[index], receive: false);
        Assert.Equal(1, sender.ConnectedSenders);
    }

    [Fact]
    public void Limits_of_the_host_are_read_and_respected()
    {
        const string table = "Limit           Soft Limit  Hard Limit\nMax open files  64          4096        files\n";
        Assert.Equal(64, HostLimits.ParseOpenFiles(table));
        Assert.Null(HostLimits.ParseOpenFiles("Max open files   unlimited  unlimited  files"));
        Assert.Null(HostLimits.ParseOpenFiles(""));
        if (OperatingSystem.IsLinux()) Assert.NotNull(HostLimits.Read().MembershipsPerSocket);

        var sender = (SocketTransport)_rig.Start(
            "portable", TransportRig.Settings with { Limits = new HostLimits(64, 20) });
        Assert.Equal([64L], _rig.Events.FilesShort);
        for (int index = 0; index < 12; index++)
        {
            IRegionChannel channel = sender.Open(TransportRig.NewGroup(), receive: false)!;
            sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, channel: channel));
        }
        Assert.Equal(8, sender.ConnectedSenders);

        TransportSettings none = TransportRig.Settings with { Limits = new HostLimits(null, 0) };
        Assert.False(TransportFactory.CanMulticast(none, NetworkChoice.Find(none), out string reason));
        Assert.Equal("net.ipv4.igmp_max_memberships is 0", reason);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_socket_whose_train_the_kernel_refuses_to_cut_sends_one_by_one_from_then_on(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        NeedsSegmentation(sender);
        receiver.Open(_rig.Group, receive: true);
        IRegionChannel sending = sender.Open(_rig.Group, receive: false)!;

        // More datagrams than any kernel cuts in one call: refused for real.
        Assert.Equal(
            SendOutcome.Sent, sender.Send(TransportRig.Train(TrainRoute.Region, 200, 100, 1, channel: sending)));
        Assert.Equal(
            SendOutcome.Sent, sender.Send(TransportRig.Train(TrainRoute.Region, 3, 100, 201, channel: sending)));
        List<Completion> reads = TransportRig.ReceiveDatagrams(receiver, 203);
        Assert.Equal(Enumerable.Range(1, 203).Select(static number => (long)number), TransportRig.Sequences(reads));
        Assert.Equal(203, reads.Count(static read => !read.IsDrained));
        Assert.Single(_rig.Events.SegmentationRefused);
        Assert.Equal(1UL, sender.Counters.SegmentationFallbacks);

        // Only that socket has fallen back.
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 3, 100, 1, to: receiver.Facts.Data));
        Assert.Equal([1L, 2L, 3L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 3)));
        Assert.Single(_rig.Events.SegmentationRefused);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_train_whose_datagrams_are_refused_by_themselves_too_says_nothing_of_cutting(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        NeedsSegmentation(sender);
        var nowhere = new NetEndpoint(receiver.Facts.Data.Address, 0);
        Assert.Equal(SendOutcome.Failed, sender.Send(TransportRig.Train(TrainRoute.Unicast, 4, 100, 1, to: nowhere)));
        Assert.Equal(0UL, sender.Counters.SegmentationFallbacks);
        Assert.Empty(_rig.Events.SegmentationRefused);

        Assert.Equal(
            SendOutcome.Sent, sender.Send(TransportRig.Train(TrainRoute.Unicast, 4, 100, 1, to: receiver.Facts.Data)));
        Assert.Equal([1L, 2L, 3L, 4L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 4)));
        Assert.Equal(0UL, sender.Counters.SegmentationFallbacks);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_lone_datagram_after_a_train_of_shorter_ones_is_not_cut(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 4, 100, 1, to: receiver.Facts.Data));
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 1, 900, 5, to: receiver.Facts.Data));
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 1, 60, 6, to: receiver.Facts.Data));
        Assert.Equal([1L, 2L, 3L, 4L, 5L, 6L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 6)));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Without_segmentation_and_coalescing_trains_arrive_all_the_same(string kind)
    {
        TransportSettings plain = TransportRig.Settings with { Segmentation = false, Coalescing = false };
        IHostTransport sender = _rig.Start(kind, plain);
        IHostTransport receiver = _rig.Start(kind, plain);
        Assert.Equal(1, sender.Facts.TrainDatagrams);
        receiver.Open(_rig.Group, receive: true);
        sender.Send(TransportRig.Train(TrainRoute.Region, 16, 1000, channel: sender.Open(_rig.Group, receive: false)));
        List<Completion> reads = TransportRig.ReceiveDatagrams(receiver, 16).FindAll(static read => !read.IsDrained);
        Assert.Equal(16, reads.Count);
        Assert.Equal(16, TransportRig.Sequences(reads).Distinct().Count());
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_empty_datagram_from_the_network_is_no_word_that_a_socket_is_empty(string kind)
    {
        IHostTransport receiver = _rig.Start(kind);
        using var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var to = new IPEndPoint(IPAddress.Loopback, receiver.Facts.Data.Port);
        stranger.SendTo(ReadOnlySpan<byte>.Empty, SocketFlags.None, to);
        stranger.SendTo(TransportRig.Train(TrainRoute.Unicast, 1, 100, 7).Span, SocketFlags.None, to);

        List<Completion> all = TransportRig.Receive(receiver, static all => all.Exists(static one => one.IsDrained));
        Assert.Equal([7L], TransportRig.Sequences(all));
        Assert.True(all[^1].IsDrained);
        Assert.Equal(1UL, receiver.Counters.EmptyReads);
        Assert.Equal(0UL, receiver.Counters.ReadErrors);
    }

    [Theory]
    [InlineData("linux", true)]
    [InlineData("linux", false)]
    [InlineData("portable", true)]
    [InlineData("portable", false)]
    public void On_linux_a_nodes_own_trains_do_not_come_back_over_loopback_and_count_as_no_drop(
        string kind, bool receivesFirst)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only on Linux has every node a loopback address of its own");
        IHostTransport node = _rig.Start(kind);
        IHostTransport other = _rig.Start(kind);
        IRegionChannel own = node.Open(_rig.Group, receive: receivesFirst)!;
        IRegionChannel others = other.Open(_rig.Group, receive: true)!;
        node.Send(TransportRig.Train(TrainRoute.Region, 8, 1000, 1, channel: own));
        if (!receivesFirst) node.Open(_rig.Group, receive: true);
        node.Send(TransportRig.Train(TrainRoute.Region, 8, 1000, 9, channel: own));
        other.Send(TransportRig.Train(TrainRoute.Region, 8, 1000, 17, channel: others));

        Assert.Equal(
            Enumerable.Range(17, 8).Select(static number => (long)number),
            TransportRig.Sequences(TransportRig.ReceiveDatagrams(node, 8)));
        Assert.Equal(0UL, node.Counters.EmptyReads);
        Assert.Equal(0UL, own.Drops);
        Assert.Equal(
            Enumerable.Range(1, 16).Select(static number => (long)number),
            TransportRig.Sequences(TransportRig.ReceiveDatagrams(other, 16)));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void After_a_failure_groups_are_joined_again_where_the_interface_has_forgotten_them(string kind)
    {
        IHostTransport sender = _rig.Start(kind);
        IHostTransport receiver = _rig.Start(kind);
        IRegionChannel sending = sender.Open(_rig.Group, receive: false)!;
        var receiving = (SocketChannel)receiver.Open(_rig.Group, receive: true)!;
        var membership = new MulticastOption(AddressForms.ToEndPoint(_rig.Group).Address, IPAddress.Loopback);
        receiving.Port!.Socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.DropMembership, membership);
        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, 1, channel: sending));

        var nowhere = new NetEndpoint(sender.Facts.Data.Address, 0);
        Assert.Equal(SendOutcome.Failed, receiver.Send(TransportRig.Train(TrainRoute.Unicast, 1, 100, 1, to: nowhere)));
        Assert.Equal(
            SendOutcome.Sent, receiver.Send(TransportRig.Train(TrainRoute.Unicast, 1, 100, 1, to: sender.Facts.Data)));
        sender.Send(TransportRig.Train(TrainRoute.Region, 1, 100, 2, channel: sending));
        Assert.Equal([2L], TransportRig.Sequences(TransportRig.ReceiveDatagrams(receiver, 1)));
    }

    [Fact]
    public void A_receive_buffer_granted_smaller_than_asked_is_told_with_the_remedy()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs Linux: the remedy that is told is a sysctl");
        IHostTransport transport = _rig.Start(
            "linux", TransportRig.Settings with { ReceiveBufferBytes = 1 << 30, Carrier = CarrierPreference.Unicast });
        Assert.SkipWhen(
            transport.Facts.ReceiveBufferBytes / 2 >= 1 << 30,
            "needs a limit below a gigabyte: net.core.rmem_max of this machine grants what is asked for");
        (int asked, int granted, string remedy) = Assert.Single(_rig.Events.SmallBuffers);
        Assert.Equal(1 << 30, asked);
        Assert.Equal(transport.Facts.ReceiveBufferBytes / 2, granted);
        Assert.Equal("sysctl -w net.core.rmem_max=1073741824", remedy);
    }

    [Fact]
    public void A_node_that_wants_unicast_is_not_probed_and_says_so()
    {
        IHostTransport transport = _rig.Start(
            "linux", TransportRig.Settings with { Carrier = CarrierPreference.Unicast });
        Assert.False(transport.Facts.Multicast);
        Assert.Single(_rig.Events.MulticastUnavailable);
    }

    [Fact]
    public void A_group_that_is_no_multicast_address_cannot_be_opened_and_disturbs_nothing()
    {
        IHostTransport transport = _rig.Start("linux");
        var wrong = new NetEndpoint(0x0A000001, 5000);
        Assert.Null(transport.Open(wrong, receive: true));
        Assert.Equal([wrong], _rig.Events.OpenFailed);
        Assert.NotNull(transport.Open(_rig.Group, receive: true));
    }

    [Fact]
    public void An_unknown_interface_is_refused_with_the_names_there_are()
    {
        TransportSettings wrong = TransportRig.Settings with { Interface = "nowhere0" };
        var failure = Assert.Throws<TransportException>(() => TransportFactory.Start(wrong, _rig.Events));
        Assert.Equal(TransportFailure.InterfaceUnavailable, failure.Failure);
        Assert.Contains("nowhere0", failure.Message, StringComparison.Ordinal);
        Assert.Contains("127.0.0.1", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_range_without_a_free_port_is_refused()
    {
        TransportSettings narrow = TransportRig.Settings with
        {
            PortFirst = 20_999,
            PortCount = 1,
            Carrier = CarrierPreference.Unicast
        };
        var failure = Assert.Throws<TransportException>(() => TransportFactory.Start(narrow, _rig.Events));
        Assert.Equal(TransportFailure.PortsExhausted, failure.Failure);
        Assert.Contains("20999-20999", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 65_536, true, 212_992, 8192 - 44)]
    [InlineData(0, 65_536, true, 2 << 20, (32 << 10) - 44)]
    [InlineData(0, 65_536, true, 8 << 20, 65_493 - 44)]
    [InlineData(0, 1400, false, 8 << 20, 1400 - 28 - 44)]
    [InlineData(0, 9000, false, 8 << 20, 1372 - 44)]
    [InlineData(8972, 9000, false, 212_992, 8972 - 44)]
    [InlineData(60_000, 1500, false, 8 << 20, 1500 - 28 - 44)]
    [InlineData(65_000, 65_536, true, 212_992, 65_000 - 44)]
    public void A_datagram_fits_the_interface_and_leaves_room_for_encryption(
        int asked, int mtu, bool isLoopback, int buffer, int expected)
    {
        int slot = DatagramSize.Choose(new TransportSettings { MaxDatagramBytes = asked }, mtu, isLoopback, buffer);
        Assert.Equal(expected, slot);
        Assert.InRange(DatagramSize.TrainDatagrams(slot) * slot, 1, Train.MaxBytes);
    }

    private static void NeedsSegmentation(IHostTransport transport) => Assert.SkipUnless(
        transport.Facts.TrainDatagrams > 1,
        "needs UDP_SEGMENT (Linux 4.18): this system sends trains one datagram a call, which other tests cover");
}
