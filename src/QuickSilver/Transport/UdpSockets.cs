using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Creates a node's sockets, all non-blocking. A unicast port belongs to one socket, because the kernel would
/// distribute unicast datagrams among sharing sockets by a hash. All nodes of a machine share multicast ports.
/// </summary>
/// <param name="settings">The settings of the transport.</param>
/// <param name="network">The interface of the node.</param>
internal sealed class UdpSockets(TransportSettings settings, NetworkChoice network)
{
    private const int ControlBufferBytes = 1 << 20;
    private const int SendBufferBytes = 256 << 10;
    private const int WindowsIgnoreUnreachable = -1744830452;
    private static int _portsTried;

    /// <summary>Opens the two unicast sockets of a node.</summary>
    /// <exception cref="TransportException">No port of the range is free.</exception>
    public (Socket Control, Socket Data) OpenPair()
    {
        Socket control = OpenUnicast(Math.Min(ControlBufferBytes, settings.ReceiveBufferBytes), sendsWhole: false);
        try
        {
            return (control, OpenUnicast(settings.ReceiveBufferBytes, sendsWhole: true));
        }
        catch
        {
            control.Dispose();
            throw;
        }
    }

    /// <summary>Opens a unicast socket on a free port of the range.</summary>
    /// <param name="receiveBufferBytes">The receive buffer to request from the kernel, in bytes.</param>
    /// <param name="sendsWhole">True to forbid fragments: for data, whose datagrams get shorter when long ones do not
    /// arrive. Datagrams of control fit all paths.</param>
    /// <exception cref="TransportException">No port of the range is free.</exception>
    public Socket OpenUnicast(int receiveBufferBytes, bool sendsWhole)
    {
        Socket socket = Create(receiveBufferBytes);
        if (sendsWhole) ForbidFragments(socket);
        if (OperatingSystem.IsWindows())
        {
            socket.ExclusiveAddressUse = true;
            _ = socket.IOControl(WindowsIgnoreUnreachable, [0, 0, 0, 0], null);
        }
        // Nodes that start together begin at different ports, to avoid a sequence of collisions.
        uint start = ((uint)Environment.ProcessId * 31) + (uint)Interlocked.Increment(ref _portsTried);
        for (uint index = 0; index < settings.PortCount; index++)
        {
            int port = settings.PortFirst + (int)((start + index) % (uint)settings.PortCount);
            try
            {
                socket.Bind(new IPEndPoint(network.Address, port));
                return socket;
            }
            catch (SocketException refusal)
                when (refusal.SocketErrorCode is SocketError.AddressAlreadyInUse or SocketError.AccessDenied)
            {
                continue;
            }
            catch (SocketException refusal)
            {
                socket.Dispose();
                string text = $"Cannot bind {network.Address} on {network.Name}: {refusal.Message}";
                bool isLimit = NetworkList.IsForWantOfDescriptors(refusal);
                throw new TransportException(TransportFailure.InterfaceUnavailable, text, refusal)
                {
                    MayPass = !isLimit,
                };
            }
        }
        socket.Dispose();
        throw new TransportException(
            TransportFailure.PortsExhausted,
            $"Too few UDP ports of {settings.PortFirst}-{settings.PortFirst + settings.PortCount - 1} on "
            + $"{network.Address} are free: widen Transport.PortRange (each node needs two ports).");
    }

    /// <summary>Opens a socket that receives a group.</summary>
    /// <exception cref="SocketException">The group cannot be joined.</exception>
    public Socket OpenReceiver(NetEndpoint group)
    {
        Socket socket = Create(settings.ReceiveBufferBytes);
        try
        {
            IPAddress address = ToEndPoint(group).Address;
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            if (OperatingSystem.IsLinux()) _ = KernelOptions.SetOwnGroupsOnly(socket);
            // The kernel finds a socket that is bound to the group by a hash; with any address bound, it searches all
            // sockets of the port. Windows cannot bind to a group.
            socket.Bind(new IPEndPoint(OperatingSystem.IsWindows() ? AnyAddress : address, group.Port));
            Join(socket, address);
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Opens a socket that sends to multicast groups. Connected to one, it reports a full send buffer without
    /// an exception.</summary>
    /// <param name="group">The multicast group; null: each send names one.</param>
    /// <param name="source">The source address: one of the interface, or one that only this node has.</param>
    /// <exception cref="SocketException">The group is unreachable.</exception>
    public Socket OpenSender(NetEndpoint? group, IPAddress source)
    {
        Socket socket = Create(0);
        try
        {
            ForbidFragments(socket);
            socket.Bind(new IPEndPoint(source, 0));
            Attach(socket);
            socket.SetSocketOption(Level, SocketOptionName.MulticastTimeToLive, settings.TimeToLive);
            socket.SetSocketOption(Level, SocketOptionName.MulticastLoopback, true);
            if (group is { } one) socket.Connect(ToEndPoint(one));
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Joins a receiver's group again: an interface that was removed and added again has lost all
    /// memberships.</summary>
    /// <returns>False when the receiver was still a member, or the interface is absent.</returns>
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

    /// <summary>Binds a sender to the interface again, which may have been removed and added again.</summary>
    public void AttachAgain(Socket sender)
    {
        try
        {
            Attach(sender);
        }
        catch (SocketException)
        {
            // The interface is absent: sending will fail.
        }
    }

    private SocketOptionLevel Level => network.IsIPv6 ? SocketOptionLevel.IPv6 : SocketOptionLevel.IP;

    private IPAddress AnyAddress => network.IsIPv6 ? IPAddress.IPv6Any : IPAddress.Any;

    private IPEndPoint ToEndPoint(NetEndpoint endpoint) => AddressForms.ToEndPoint(endpoint, network.Index);

    private void Join(Socket receiver, IPAddress group)
    {
        object option = network.IsIPv6
            ? new IPv6MulticastOption(group, network.Index)
            : new MulticastOption(group, network.Address);
        receiver.SetSocketOption(Level, SocketOptionName.AddMembership, option);
    }

    private void Attach(Socket sender)
    {
        if (network.IsIPv6) sender.SetSocketOption(Level, SocketOptionName.MulticastInterface, (int)network.Index);
        else sender.SetSocketOption(Level, SocketOptionName.MulticastInterface, network.Address.GetAddressBytes());
    }

    // Within a machine nothing drops a fragment.
    private void ForbidFragments(Socket socket)
    {
        if (!network.IsLoopback && OperatingSystem.IsLinux()) _ = KernelOptions.SetUnfragmented(socket);
    }

    private Socket Create(int receiveBufferBytes)
    {
        var socket = new Socket(network.Address.AddressFamily, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        if (receiveBufferBytes > 0) socket.ReceiveBufferSize = receiveBufferBytes;
        // Linux has room for a few trains by default. Elsewhere the default holds a datagram or two, and on macOS it is
        // the longest datagram.
        if (!OperatingSystem.IsLinux()) socket.SendBufferSize = SendBufferBytes;
        return socket;
    }
}
