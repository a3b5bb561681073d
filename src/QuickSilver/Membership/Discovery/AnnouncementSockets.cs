using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Membership.Discovery;

/// <summary>The sockets of announcements at one address of this machine.</summary>
internal sealed class AnnouncementSockets : IDisposable
{
    private const int BufferBytes = 64 << 10;

    private readonly UdpSockets _factory;
    private readonly NetEndpoint _group;
    private readonly Socket _receiver;
    private readonly Socket _sender;
    private readonly EndPoint _any;

    /// <summary>Opens them.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="own">The address, which the machine has.</param>
    /// <exception cref="SocketException">The group is not to be had there.</exception>
    /// <exception cref="TransportException">No interface has the address.</exception>
    public AnnouncementSockets(AnnouncementSettings settings, IPAddress own)
    {
        NetworkChoice network = NetworkList.Read(out _).Find(one => one.Choice.Address.Equals(own)).Choice
            ?? throw new TransportException(
                TransportFailure.InterfaceUnavailable, $"no interface that is up has the address {own}");
        var transport = new TransportSettings { TimeToLive = settings.TimeToLive, ReceiveBufferBytes = BufferBytes };
        _factory = new UdpSockets(transport, network);
        IPAddress group = network.IsIPv6 ? settings.GroupIPv6 : settings.Group;
        _group = new NetEndpoint(AddressForms.ToNet(group), (ushort)settings.Port);
        _any = new IPEndPoint(network.IsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, 0);
        _receiver = _factory.OpenReceiver(_group);
        try
        {
            _sender = _factory.OpenSender(_group, network.Address);
        }
        catch (SocketException)
        {
            _receiver.Dispose();
            throw;
        }
    }

    /// <summary>Sends an announcement.</summary>
    /// <exception cref="SocketException">It was not sent.</exception>
    public void Send(ReadOnlySpan<byte> announcement) => _sender.Send(announcement);

    /// <summary>Joins the group again, in case the interface was removed and added.</summary>
    public void JoinAgain() => _factory.JoinAgain(_receiver, _group);

    /// <summary>Receives one datagram; one that is too long is cut off, and longer than any announcement.</summary>
    /// <exception cref="SocketException">Nothing can be received.</exception>
    public async ValueTask<(int Length, IPAddress Source)> ReceiveAsync(byte[] buffer, CancellationToken stop)
    {
        SocketReceiveFromResult received = await _receiver.ReceiveFromAsync(buffer, SocketFlags.None, _any, stop)
            .ConfigureAwait(false);
        return (received.ReceivedBytes, ((IPEndPoint)received.RemoteEndPoint).Address);
    }

    /// <summary>A buffer for <see cref="ReceiveAsync"/>.</summary>
    public static byte[] NewBuffer() => new byte[Announcement.MaxBytes + 1];

    /// <inheritdoc/>
    public void Dispose()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }
}
