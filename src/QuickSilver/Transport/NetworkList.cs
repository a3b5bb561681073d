using System.ComponentModel;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace QuickSilver.Transport;

/// <summary>
/// The interfaces of the machine, as they are now. The framework gathers them by many small reads, and throws whatever comes to hand when one goes
/// away between two of them: such a list is read again, and an interface that cannot be read is left out.
/// </summary>
internal static class NetworkList
{
    private const int SmallestMtu = 576;
    private const int Tries = 5;
    private const int TooManyInProcess = 24;
    private const int TooManyInSystem = 23;
    private static readonly TimeSpan LoopbackTime = TimeSpan.FromMilliseconds(200);

    /// <summary>One address of an interface that is up.</summary>
    /// <param name="Choice">What a node needs to know.</param>
    /// <param name="Multicasts">Whether the interface says that it can multicast.</param>
    /// <param name="HasGateway">Whether a gateway is reached by it.</param>
    internal readonly record struct Entry(NetworkChoice Choice, bool Multicasts, bool HasGateway);

    /// <summary>Reads it: every IPv4 address of every interface that is up.</summary>
    /// <param name="down">Names of those that are there and cannot be used: down, without an IPv4 address, or gone while they were read.</param>
    /// <exception cref="TransportException">It could not be read, several times in a row.</exception>
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
                    $"The system's list of interfaces cannot be read, perhaps because it changes all the time: {change.Message}",
                    change)
                { MayPass = true };
            }
        }
    }

    /// <summary>Whether an address is one of this machine's, on an interface that is up or down. One system call or two.</summary>
    public static bool IsPresent(IPAddress address)
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            probe.Bind(new IPEndPoint(address, 0));
            return true;
        }
        catch (SocketException refusal)
        {
            return refusal.SocketErrorCode != SocketError.AddressNotAvailable;
        }
    }

    /// <summary>By which of the machine's addresses another address is reached now, as the system's routes say; null: by none. Sends nothing.</summary>
    public static IPAddress? RouteTo(IPAddress address)
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            probe.Connect(new IPEndPoint(address, 9));
            return ((IPEndPoint)probe.LocalEndPoint!).Address;
        }
        catch (SocketException refusal) when (refusal.SocketErrorCode != SocketError.TooManyOpenSockets)
        {
            return null;
        }
    }

    /// <summary>Whether loopback carries datagrams: some systems list it as up, and route to it, when it is down. Microseconds where it does.</summary>
    public static bool IsLoopbackUp()
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
            probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _ = probe.SendTo([0], probe.LocalEndPoint!);
            return probe.Poll(LoopbackTime, SelectMode.SelectRead);
        }
        catch (SocketException refusal) when (refusal.SocketErrorCode != SocketError.TooManyOpenSockets)
        {
            return false;
        }
    }

    /// <summary>Whether something was refused because the process, or the system, has too much open: nothing of interfaces.</summary>
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
                if (isUp && item.Supports(NetworkInterfaceComponent.IPv4)) Add(item, found);
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
        int mtu = properties.GetIPv4Properties().Mtu;
        if (mtu < SmallestMtu) mtu = isLoopback ? DatagramSize.LoopbackMtu : SmallestMtu;
        foreach (UnicastIPAddressInformation unicast in properties.UnicastAddresses)
        {
            if (unicast.Address.AddressFamily != AddressFamily.InterNetwork) continue;
            var choice = new NetworkChoice(item.Name, unicast.Address, mtu, isLoopback) { PrefixLength = unicast.PrefixLength };
            found.Add(new Entry(choice, item.SupportsMulticast, hasGateway));
        }
    }
}
