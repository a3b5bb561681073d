using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Bench.Raw;

/// <summary>
/// Sockets of the raw multicast loops, set up as the best of the variants measured for this project: connected and
/// non-blocking for sending, bound to the group and non-blocking for receiving, with UDP_SEGMENT and UDP_GRO for
/// trains.
/// </summary>
internal static class RawSockets
{
    private const int BufferBytes = 4 << 20;
    private const int UdpLevel = 17;
    private const int UdpSegment = 103;
    private const int UdpGro = 104;
    private const int IpMulticastAll = 49;

    /// <summary>Sends to the group.</summary>
    /// <param name="to">Address and port of the group.</param>
    /// <param name="from">Address of the interface to send by.</param>
    /// <param name="segmentBytes">Length of the datagrams that the kernel cuts a train into; 0: one datagram a
    /// call.</param>
    /// <exception cref="SocketException">The kernel cannot cut trains.</exception>
    public static Socket OpenSender(IPEndPoint to, IPAddress from, int segmentBytes)
    {
        var socket = new Socket(
            AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            Blocking = false,
            SendBufferSize = BufferBytes
        };
        socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastInterface, from.GetAddressBytes());
        socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastTimeToLive, 1);
        if (segmentBytes > 0) SetRaw(socket, UdpLevel, UdpSegment, segmentBytes);
        socket.Connect(to);
        return socket;
    }

    /// <summary>Receives what is sent to the group.</summary>
    /// <param name="at">Address and port of the group.</param>
    /// <param name="by">Address of the interface to receive by.</param>
    /// <param name="coalesces">Whether the kernel gives trains back whole.</param>
    /// <exception cref="SocketException">The kernel cannot do that.</exception>
    public static Socket OpenReceiver(IPEndPoint at, IPAddress by, bool coalesces)
    {
        var socket = new Socket(
            AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            Blocking = false,
            ReceiveBufferSize = BufferBytes
        };
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        if (OperatingSystem.IsLinux()) SetRaw(socket, 0, IpMulticastAll, 0);
        if (coalesces) SetRaw(socket, UdpLevel, UdpGro, 1);
        // Windows does not bind to a group's address.
        socket.Bind(OperatingSystem.IsWindows() ? new IPEndPoint(IPAddress.Any, at.Port) : at);
        socket.SetSocketOption(
            SocketOptionLevel.IP, SocketOptionName.AddMembership, new MulticastOption(at.Address, by));
        return socket;
    }

    /// <summary>Where the receivers' feedback comes in.</summary>
    public static Socket OpenFeedback(IPEndPoint at)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        socket.Bind(at);
        return socket;
    }

    private static void SetRaw(Socket socket, int level, int option, int value) =>
        socket.SetRawSocketOption(level, option, BitConverter.GetBytes(value));
}
