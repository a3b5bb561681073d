using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>Both socket transports over the IPv6 loopback address.</summary>
public sealed class IPv6TransportTests : IDisposable
{
    private readonly TransportRig _rig = new();

    public void Dispose() => _rig.Dispose();

    [Theory]
    [InlineData("linux")]
    [InlineData("portable")]
    public void Datagrams_name_the_endpoint_that_sent_them(string kind)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "this machine has no IPv6");
        TransportSettings settings = TransportRig.Settings with
        {
            Interface = "::1",
            Carrier = CarrierPreference.Unicast,
        };
        IHostTransport sender = _rig.Start(kind, settings);
        IHostTransport receiver = _rig.Start(kind, settings);
        Assert.Equal("::1", receiver.Facts.Data.Address.ToString());
        sender.Send(TransportRig.Train(TrainRoute.Unicast, 16, 1000, to: receiver.Facts.Data));

        List<Completion> reads =
            TransportRig.ReceiveDatagrams(receiver, 16).FindAll(static read => !read.IsDrained);
        Assert.Equal(16, TransportRig.Sequences(reads).Count);
        Assert.All(reads, read => Assert.Equal(sender.Facts.Data, read.Source));
    }

    [Theory]
    [InlineData(1500, 1452)]
    [InlineData(1280, 1232)]
    public void A_datagram_leaves_room_for_the_headers_of_IPv6(int mtu, int longest)
    {
        int room = DatagramSize.Longest(mtu, DatagramSize.IPv6Headers);
        Assert.Equal(longest, room + QuickSilver.Protocol.Wire.DatagramHeader.EncryptionReserve);
        Assert.Equal(
            room,
            DatagramSize.Choose(
                new TransportSettings { MaxDatagramBytes = 9000 }, mtu, false, 1 << 20, DatagramSize.IPv6Headers));
    }
}
