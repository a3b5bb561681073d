using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using Xunit;

namespace QuickSilver.Tests.Transport;

/// <summary>What a node hears of itself where it shares its address with other nodes.</summary>
public sealed class EchoFilterTests
{
    private static readonly NetworkChoice Loopback = new("lo", IPAddress.Loopback, DatagramSize.LoopbackMtu, true);

    [Fact]
    public void What_a_node_sends_comes_back_to_it_empty_and_to_others_whole()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the filter is for Linux");
        var sockets = new UdpSockets(TransportRig.Settings, Loopback);
        NetEndpoint group = TransportRig.NewGroup();
        using Socket own = sockets.OpenReceiver(group);
        using Socket neighbours = sockets.OpenReceiver(group);
        using Socket socket = sockets.OpenSender(group, Loopback.Address);
        using var sender = new TrainSender(
            socket, "test", segments: true, new TransportCounters(), new RecordingEvents());
        using Socket other = sockets.OpenSender(group, Loopback.Address);
        EchoFilter.Attach(own, sender.Source);

        socket.Send(new byte[1000]);
        other.Send(new byte[500]);

        Assert.Equal([0, 500], ReadLengths(own, 2));
        Assert.Equal([1000, 500], ReadLengths(neighbours, 2));
        Assert.Equal(0UL, KernelOptions.ReadDrops(own));
    }

    [Fact]
    public void An_IPv6_sender_is_known_by_its_whole_address()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the filter is for Linux");
        using Socket own = OpenIPv6();
        using Socket sender = OpenIPv6();
        using Socket other = OpenIPv6();
        foreach (bool isLast in (bool[])[false, true])
        {
            byte[] near = IPAddress.IPv6Loopback.GetAddressBytes();
            near[isLast ? 15 : 0] ^= 1;
            EchoFilter.Attach(own, new IPEndPoint(new IPAddress(near), ((IPEndPoint)sender.LocalEndPoint!).Port));
            sender.SendTo(new byte[1000], own.LocalEndPoint!);
            Assert.Equal([1000], ReadLengths(own, 1));
        }
        EchoFilter.Attach(own, (IPEndPoint)sender.LocalEndPoint!);
        sender.SendTo(new byte[1000], own.LocalEndPoint!);
        other.SendTo(new byte[500], own.LocalEndPoint!);
        Assert.Equal([0, 500], ReadLengths(own, 2));
    }

    private static Socket OpenIPv6()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "this machine has no IPv6");
        var socket = new Socket(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.IPv6Loopback, 0));
        return socket;
    }

    [Theory]
    [InlineData("127.0.0.1", true)]
    [InlineData("127.0.0.2", false)]
    [InlineData("10.0.0.1", false)]
    public void Only_nodes_of_the_usual_loopback_address_have_a_source_of_their_own(string address, bool has)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only on Linux is all of 127.0.0.0/8 the machine's");
        IPAddress? source = OwnSource.Find(Loopback with { Address = IPAddress.Parse(address) }, 0x1234);
        Assert.Equal(has ? IPAddress.Parse("127.81.18.52") : null, source);
    }

    private static List<int> ReadLengths(Socket socket, int count)
    {
        byte[] buffer = new byte[2000];
        socket.Blocking = true;
        socket.ReceiveTimeout = 30_000;
        return [.. Enumerable.Range(0, count).Select(_ => socket.Receive(buffer))];
    }
}
