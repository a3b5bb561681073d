using System.ComponentModel;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace QuickSilver.Transport;

/// <summary>
/// Reads the present interfaces of the machine. The framework collects them by many small reads, and throws various
/// exceptions when an interface disappears between two of them. The list is then read again; an unreadable interface is
/// left out.
/// </summary>
internal static class NetworkList
{
    private const int SmallestMtu = 576;
    private const int Tries = 5;
    private const int TooManyInProcess = 24;
    private const int TooManyInSystem = 23;
    private static readonly TimeSpan LoopbackTimeout = TimeSpan.FromMilliseconds(200);

    /// <summary>One address of an interface that is up.</summary>
    /// <param name="Choice">The interface and address.</param>
    /// <param name="HasGateway">True when the interface has a gateway.</param>
    internal readonly record struct Entry(NetworkChoice Choice, bool HasGateway);

    /// <summary>Returns every address of every interface that is up, of each interface IPv4 first.</summary>
    /// <param name="down">The names of unusable interfaces: down, without an address, or removed during the
    /// read.</param>
    /// <exception cref="TransportException">The list was unreadable several times in a row.</exception>
    public static List<Entry> Read(out List<string> down)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                down = [];
                return ReadOnce(down);
            }
            catch (Exception change) when (!IsForWantOfDescriptors(change))
            {
                if (attempt < Tries) continue;
                throw new TransportException(
                    TransportFailure.InterfaceUnavailable,
                    "The system's list of interfaces cannot be read, perhaps because it changes all the time: "
                    + change.Message,
                    change)
                { MayPass = true };
            }
        }
    }

    /// <summary>True when this machine has an address, on an interface that is up or down. Costs two or three system
    /// calls.</summary>
    public static bool IsPresent(IPAddress address)
    {
        try
        {
            using var probe = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            probe.Bind(new IPEndPoint(address, 0));
            return true;
        }
        catch (SocketException refusal)
        {
            return refusal.SocketErrorCode != SocketError.AddressNotAvailable;
        }
    }

    /// <summary>Returns the local address from which another address is reachable now, by the system's routes; null for
    /// none. Sends nothing.</summary>
    public static IPAddress? RouteTo(IPAddress address)
    {
        try
        {
            using var probe = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            probe.Connect(new IPEndPoint(address, 9));
            return ((IPEndPoint)probe.LocalEndPoint!).Address;
        }
        catch (SocketException refusal) when (refusal.SocketErrorCode != SocketError.TooManyOpenSockets)
        {
            return null;
        }
    }

    /// <summary>True when loopback carries datagrams: some systems list it as up, and route to it, although it is down.
    /// Blocks for microseconds if it works, otherwise for up to 200 ms.</summary>
    public static bool IsLoopbackUp()
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            probe.Blocking = false;
            probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _ = probe.SendTo([0], probe.LocalEndPoint!);
            return probe.Poll(LoopbackTimeout, SelectMode.SelectRead);
        }
        catch (SocketException refusal) when (refusal.SocketErrorCode != SocketError.TooManyOpenSockets)
        {
            return false;
        }
    }

    /// <summary>True when the cause of a refusal is a lack of descriptors in the process or the system, and not an
    /// interface.</summary>
    public static bool IsForWantOfDescriptors(Exception refusal) => refusal switch
    {
        SocketException socket => socket.SocketErrorCode == SocketError.TooManyOpenSockets,
        Win32Exception system => system.NativeErrorCode is TooManyInProcess or TooManyInSystem,
        IOException file => file.HResult is TooManyInProcess or TooManyInSystem,
        _ => false,
    };

    private static List<Entry> ReadOnce(List<string> down)
    {
        List<Entry> found = [];
        foreach (NetworkInterface item in NetworkInterface.GetAllNetworkInterfaces())
        {
            int before = found.Count;
            try
            {
                bool isUp = item.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown;
                if (isUp) Add(item, found);
            }
            catch (Exception gone) when (!IsForWantOfDescriptors(gone))
            {
                found.RemoveRange(before, found.Count - before);
            }
            if (found.Count == before) down.Add(item.Name);
        }
        return found;
    }

    private static void Add(NetworkInterface item, List<Entry> found)
    {
        IPInterfaceProperties properties = item.GetIPProperties();
        bool isLoopback = item.NetworkInterfaceType == NetworkInterfaceType.Loopback;
        bool hasGateway = properties.GatewayAddresses.Count > 0;
        foreach (UnicastIPAddressInformation unicast in properties.UnicastAddresses
            .OrderBy(static one => one.Address.AddressFamily == AddressFamily.InterNetworkV6))
        {
            bool isIPv6 = unicast.Address.AddressFamily == AddressFamily.InterNetworkV6;
            int mtu = isIPv6 ? properties.GetIPv6Properties().Mtu : properties.GetIPv4Properties().Mtu;
            if (mtu < SmallestMtu) mtu = isLoopback ? DatagramSize.LoopbackMtu : SmallestMtu;
            var choice = new NetworkChoice(item.Name, unicast.Address, mtu, isLoopback)
            {
                PrefixLength = unicast.PrefixLength,
                HasMulticast = isLoopback || item.SupportsMulticast,
                Index = isIPv6 ? properties.GetIPv6Properties().Index : 0,
            };
            found.Add(new Entry(choice, hasGateway));
        }
    }
}
