using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A source address for a node's multicast over loopback that no other node has, so that the node can block its own
/// echo.
/// <para>
/// Idea: on Linux every address of 127.0.0.0/8 belongs to this machine. A node derives one from the port of its control
/// socket, which it alone is bound to. It blocks that source on its receiving sockets (IP_BLOCK_SOURCE). The kernel
/// then never queues the echo, wakes no thread for it, and counts no drop. A socket filter (<see cref="EchoFilter"/>)
/// cannot achieve that.
/// </para>
/// Awkward cases. Nodes of one machine on a real network share its address. A node on another address of the loopback
/// interface may have the same port. They have no such source address, and use the filter instead. Receivers ignore the
/// source of multicast. Cost: none for each datagram.
/// </summary>
internal static class OwnSource
{
    private const byte Loopback = 127;

    // "Q": an arbitrary value that users rarely choose for their services.
    private const byte QuickSilvers = 81;
    private const int SolIp = 0;
    private const int IpBlockSource = 38;

    /// <summary>Finds the source address; null if the node has none.</summary>
    /// <param name="network">The interface of the node.</param>
    /// <param name="port">The port of a socket that the node alone is bound to.</param>
    public static IPAddress? Find(NetworkChoice network, int port)
    {
        if (!OperatingSystem.IsLinux() || !network.Address.Equals(IPAddress.Loopback)) return null;
        var source = new IPAddress([Loopback, QuickSilvers, (byte)(port >> 8), (byte)port]);
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            probe.Bind(new IPEndPoint(source, 0));
            return source;
        }
        catch (SocketException)
        {
            // The interface has a longer prefix than /8.
            return null;
        }
    }

    /// <summary>Blocks datagrams from the source at the receiver from now on.</summary>
    /// <param name="receiver">A socket that has joined the group on the interface.</param>
    /// <param name="group">The multicast group.</param>
    /// <param name="network">The interface of the membership.</param>
    /// <param name="source">The source address to block.</param>
    /// <returns>False when the kernel refuses.</returns>
    public static bool TryBlock(Socket receiver, NetEndpoint group, NetworkChoice network, IPAddress source)
    {
        // struct ip_mreq_source: group, interface, source.
        Span<byte> request = stackalloc byte[12];
        bool fits = AddressForms.ToEndPoint(group).Address.TryWriteBytes(request, out _)
            && network.Address.TryWriteBytes(request[4..], out _)
            && source.TryWriteBytes(request[8..], out _);
        if (!fits) return false;
        try
        {
            receiver.SetRawSocketOption(SolIp, IpBlockSource, request);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
