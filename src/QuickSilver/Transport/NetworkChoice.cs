using System.Buffers.Binary;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>The interface that a node speaks over.</summary>
/// <param name="Name">The system's name for it.</param>
/// <param name="Address">Its IPv4 address.</param>
/// <param name="Mtu">The longest IP packet it carries whole.</param>
/// <param name="IsLoopback">True for the loopback interface.</param>
internal sealed record NetworkChoice(string Name, IPAddress Address, int Mtu, bool IsLoopback)
{
    private const int SmallestMtu = 576;

    /// <summary>
    /// Finds the interface that the settings name; when they name none: loopback in loopback mode, else the first that is up, can multicast and has a
    /// gateway, else the first without.
    /// </summary>
    /// <exception cref="TransportException">There is no such interface.</exception>
    public static NetworkChoice Find(TransportSettings settings)
    {
        List<(NetworkChoice Choice, NetworkInterface Interface)> all = List();
        if (settings.Interface is { } wanted)
        {
            foreach ((NetworkChoice choice, NetworkInterface _) in all)
            {
                if (choice.Name == wanted || choice.Address.ToString() == wanted) return choice;
            }
            throw new TransportException(
                TransportFailure.InterfaceUnavailable,
                $"No interface that is up has the name or IPv4 address '{wanted}'. There are: {Describe(all)}. Set Transport.Interface to one.");
        }
        if (settings.Loopback)
        {
            NetworkChoice? found = all.Find(static item => item.Choice.IsLoopback).Choice;
            return found ?? new NetworkChoice("lo", IPAddress.Loopback, SlotSize.LoopbackMtu, true);
        }

        var able = all.FindAll(static item => !item.Choice.IsLoopback && item.Interface.SupportsMulticast);
        NetworkChoice? routed = able.Find(static item => item.Interface.GetIPProperties().GatewayAddresses.Count > 0).Choice;
        return routed ?? able.FirstOrDefault().Choice ?? throw new TransportException(
            TransportFailure.InterfaceUnavailable,
            $"No interface besides loopback is up and has multicast and an IPv4 address. There are: {Describe(all)}. Set Transport.Interface, "
            + "or use MembershipMode.Loopback on one machine.");
    }

    /// <summary>The address in host order, with a port.</summary>
    public NetEndpoint At(int port) => new(BinaryPrimitives.ReadUInt32BigEndian(Address.GetAddressBytes()), (ushort)port);

    private static List<(NetworkChoice Choice, NetworkInterface Interface)> List()
    {
        List<(NetworkChoice, NetworkInterface)> found = [];
        foreach (NetworkInterface item in NetworkInterface.GetAllNetworkInterfaces())
        {
            bool isUp = item.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown;
            if (!isUp || !item.Supports(NetworkInterfaceComponent.IPv4)) continue;
            IPInterfaceProperties properties = item.GetIPProperties();
            bool isLoopback = item.NetworkInterfaceType == NetworkInterfaceType.Loopback;
            int mtu = properties.GetIPv4Properties().Mtu;
            if (mtu < SmallestMtu) mtu = isLoopback ? SlotSize.LoopbackMtu : SmallestMtu;
            foreach (UnicastIPAddressInformation unicast in properties.UnicastAddresses)
            {
                if (unicast.Address.AddressFamily != AddressFamily.InterNetwork) continue;
                found.Add((new NetworkChoice(item.Name, unicast.Address, mtu, isLoopback), item));
            }
        }
        return found;
    }

    private static string Describe(List<(NetworkChoice Choice, NetworkInterface Interface)> all) =>
        all.Count == 0 ? "none" : string.Join(", ", all.Select(static item => $"{item.Choice.Name} ({item.Choice.Address})"));
}
