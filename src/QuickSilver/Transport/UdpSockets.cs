using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Makes a node's sockets. All are non-blocking. Unicast sockets have a port of their own, never shared (the kernel would deal unicast datagrams out
/// among the sharers by a hash); multicast ports are shared by all nodes of a machine.
/// </summary>
/// <param name="settings">The transport's.</param>
/// <param name="network">The interface.</param>
internal sealed class UdpSockets(TransportSettings settings, NetworkChoice network)
{
    private const int WindowsIgnoreUnreachable = -1744830452;
    private static int _portsTried;

    /// <summary>A socket for unicast, on a free port of the range.</summary>
    /// <param name="receiveBufferBytes">What to ask of the kernel.</param>
    /// <exception cref="TransportException">No port of the range is free.</exception>
    public Socket OpenUnicast(int receiveBufferBytes)
    {
        Socket socket = Create(receiveBufferBytes);
        if (OperatingSystem.IsWindows())
        {
            socket.ExclusiveAddressUse = true;
            _ = socket.IOControl(WindowsIgnoreUnreachable, [0, 0, 0, 0], null);
        }
        // Nodes that start together begin at different ports, so that they do not try the same ones in a row.
        uint start = ((uint)Environment.ProcessId * 31) + (uint)Interlocked.Increment(ref _portsTried);
        for (uint index = 0; index < settings.PortCount; index++)
        {
            int port = settings.PortFirst + (int)((start + index) % (uint)settings.PortCount);
            try
            {
                socket.Bind(new IPEndPoint(network.Address, port));
                return socket;
            }
            catch (SocketException refusal) when (refusal.SocketErrorCode is SocketError.AddressAlreadyInUse or SocketError.AccessDenied)
            {
                continue;
            }
            catch (SocketException refusal)
            {
                socket.Dispose();
                string text = $"Cannot bind {network.Address} on {network.Name}: {refusal.Message}";
                bool isLimit = NetworkList.IsForWantOfDescriptors(refusal);
                throw new TransportException(TransportFailure.InterfaceUnavailable, text, refusal) { MayPass = !isLimit };
            }
        }
        socket.Dispose();
        throw new TransportException(
            TransportFailure.PortsExhausted,
            $"Too few UDP ports of {settings.PortFirst}-{settings.PortFirst + settings.PortCount - 1} on {network.Address} are free: widen "
            + "Transport.PortRange (each node needs two ports).");
    }

    /// <summary>A socket that receives a group.</summary>
    /// <exception cref="SocketException">The group cannot be joined.</exception>
    public Socket OpenReceiver(NetEndpoint group)
    {
        Socket socket = Create(settings.ReceiveBufferBytes);
        try
        {
            IPAddress address = ToEndPoint(group).Address;
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            if (OperatingSystem.IsLinux()) _ = KernelOptions.SetOwnGroupsOnly(socket);
            // Bound to the group, the kernel finds the socket by a hash; bound to any address it looks at every socket of the port. Windows cannot
            // bind to a group.
            socket.Bind(new IPEndPoint(OperatingSystem.IsWindows() ? IPAddress.Any : address, group.Port));
            Join(socket, address);
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>A socket connected to a group: sending on it reports a full buffer without an exception.</summary>
    /// <param name="group">The group.</param>
    /// <param name="source">Which of the machine's addresses it sends from: one of the interface's, or one that is the node's alone.</param>
    /// <exception cref="SocketException">The group cannot be reached.</exception>
    public Socket OpenSender(NetEndpoint group, IPAddress source)
    {
        Socket socket = Create(0);
        try
        {
            socket.Bind(new IPEndPoint(source, 0));
            Attach(socket);
            socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastTimeToLive, settings.TimeToLive);
            socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastLoopback, true);
            socket.Connect(ToEndPoint(group));
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Joins a receiver's group once more: on an interface that is another to the kernel since, it is a member of nothing.</summary>
    /// <returns>False when it was a member as before, or the interface is away again.</returns>
    public bool JoinAgain(Socket receiver, NetEndpoint group)
    {
        try
        {
            Join(receiver, ToEndPoint(group).Address);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>Has a sender send over the interface once more, should it be another to the kernel since.</summary>
    public void AttachAgain(Socket sender)
    {
        try
        {
            Attach(sender);
        }
        catch (SocketException)
        {
            // The interface is away again: sending says so.
        }
    }

    /// <summary>The framework's form of an endpoint.</summary>
    public static IPEndPoint ToEndPoint(NetEndpoint endpoint) =>
        new((long)IPAddress.HostToNetworkOrder((int)endpoint.Address) & 0xFFFF_FFFF, endpoint.Port);

    private void Join(Socket receiver, IPAddress group) =>
        receiver.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.AddMembership, new MulticastOption(group, network.Address));

    private void Attach(Socket sender) =>
        sender.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastInterface, network.Address.GetAddressBytes());

    private static Socket Create(int receiveBufferBytes)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        if (receiveBufferBytes > 0) socket.ReceiveBufferSize = receiveBufferBytes;
        return socket;
    }
}
