using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// An address that a node sends its multicast from over loopback and that no other node has, so that the node itself can be spared its echo.
/// <para>
/// Idea: on Linux every address of 127.0.0.0/8 is this machine's. A node takes the one that spells the port of its control socket, which is bound by
/// it alone, and has its receiving sockets refuse that source (IP_BLOCK_SOURCE). Then the kernel never queues the echo, wakes nobody for it, and
/// counts no drop, which a filter on the socket (<see cref="EchoFilter"/>) cannot do.
/// </para>
/// Awkward cases. Nodes of one machine on a real network share its address, and a node that speaks over another address of the loopback interface may
/// have the same port: there is no such address for them, and the filter does what it can. Receivers do not look at where multicast comes from.
/// Cost: nothing a datagram.
/// </summary>
internal static class OwnSource
{
    private const byte Loopback = 127;

    // "Q": any but those that people give to services of theirs would do.
    private const byte QuickSilvers = 81;
    private const int SolIp = 0;
    private const int IpBlockSource = 38;

    /// <summary>The address; null where there is none.</summary>
    /// <param name="network">What the node speaks over.</param>
    /// <param name="port">Of a socket that is the node's alone.</param>
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
            // An interface with a narrower mask.
            return null;
        }
    }

    /// <summary>From now on the receiver hears nothing that comes from the source.</summary>
    /// <param name="receiver">Has joined the group on the interface.</param>
    /// <param name="group">The group.</param>
    /// <param name="network">The interface.</param>
    /// <param name="source">The address.</param>
    /// <returns>False where the kernel refuses.</returns>
    public static bool TryBlock(Socket receiver, NetEndpoint group, NetworkChoice network, IPAddress source)
    {
        // struct ip_mreq_source: group, interface, source.
        Span<byte> request = stackalloc byte[12];
        bool fits = UdpSockets.ToEndPoint(group).Address.TryWriteBytes(request, out _)
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
