using System.Buffers.Binary;
using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>The interface that a node speaks over.</summary>
/// <param name="Name">The system's name for it.</param>
/// <param name="Address">Its IPv4 address.</param>
/// <param name="Mtu">The longest IP packet it carries whole.</param>
/// <param name="IsLoopback">True for the loopback interface.</param>
internal sealed record NetworkChoice(string Name, IPAddress Address, int Mtu, bool IsLoopback)
{
    /// <summary>Bits of the address that name its network.</summary>
    public int PrefixLength { get; init; } = 32;

    /// <summary>The network that the address lies in.</summary>
    public IPNetwork Network => InterfaceSelector.NetworkOf(Address, PrefixLength);

    /// <summary>
    /// Finds the interface that the settings name. When they name none: loopback in loopback mode; else the one by which
    /// a server is reached, the first that is up, can multicast and has a gateway, the first without.
    /// </summary>
    /// <param name="settings">The transport's.</param>
    /// <exception cref="TransportException">There is no such interface, now.</exception>
    public static NetworkChoice Find(TransportSettings settings)
    {
        List<NetworkList.Entry> all = NetworkList.Read(out List<string> down);
        if (settings.Interface is { } text) return FindNamed(text, all, down);
        if (settings.Loopback) return FindLoopback(all);
        List<NetworkList.Entry> able = all.FindAll(static item => !item.Choice.IsLoopback && item.Multicasts);
        return FindByRoute(settings, all)
            ?? able.Find(static item => item.HasGateway).Choice
            ?? able.FirstOrDefault().Choice
            ?? throw new TransportException(
                TransportFailure.InterfaceUnavailable,
                $"No interface besides loopback is up and has multicast and an IPv4 address. There are: {Describe(all, down)}. "
                + "Set Transport.Interface, or use MembershipMode.Loopback on one machine.")
            { MayPass = true };
    }

    /// <summary>Finds where a node goes on whose address is gone: by what the settings name, at the same interface, or where a server is reached now;
    /// never at just any interface, which the next look would find in order.</summary>
    /// <param name="settings">The transport's.</param>
    /// <param name="before">Name of the interface that the node spoke over.</param>
    /// <returns>Null: there is no such place now.</returns>
    /// <exception cref="TransportException">What the settings name is not there, or the list cannot be read.</exception>
    public static NetworkChoice? FindAgain(TransportSettings settings, string before)
    {
        List<NetworkList.Entry> all = NetworkList.Read(out List<string> down);
        if (settings.Interface is { } text) return FindNamed(text, all, down);
        return all.Find(item => item.Choice.Name == before).Choice ?? FindByRoute(settings, all);
    }

    /// <summary>The address in host order, with a port.</summary>
    public NetEndpoint At(int port) => new(BinaryPrimitives.ReadUInt32BigEndian(Address.GetAddressBytes()), (ushort)port);

    private static NetworkChoice FindNamed(string text, List<NetworkList.Entry> all, List<string> down)
    {
        _ = InterfaceSelector.TryParse(text, out InterfaceSelector wish);
        foreach (NetworkList.Entry item in all)
        {
            if (wish.Fits(item.Choice.Name, item.Choice.Address)) return item.Choice;
        }
        bool isThere = down.Contains(text);
        string what = isThere
            ? $"The interface '{text}' is down, or has no IPv4 address"
            : $"No interface that is up has the name or IPv4 address '{text}', or an address in a network of that name";
        throw new TransportException(
            TransportFailure.InterfaceUnavailable, $"{what}. There are: {Describe(all, down)}. Set Transport.Interface to one.")
        { MayPass = isThere };
    }

    private static NetworkChoice FindLoopback(List<NetworkList.Entry> all)
    {
        // Where the list may not be read, loopback need not be missing.
        NetworkChoice found = all.Find(static item => item.Choice.IsLoopback).Choice
            ?? new NetworkChoice("lo", IPAddress.Loopback, DatagramSize.LoopbackMtu, true);
        if (NetworkList.IsLoopbackUp()) return found;
        throw new TransportException(
            TransportFailure.InterfaceUnavailable,
            "The loopback interface is down, and nodes of one machine reach each other by it: bring it up (ip link set lo up).")
        { MayPass = true };
    }

    // A server on this machine is reached by loopback, which other machines are not.
    private static NetworkChoice? FindByRoute(TransportSettings settings, List<NetworkList.Entry> all)
    {
        foreach (IPAddress server in settings.Servers)
        {
            if (NetworkList.RouteTo(server) is not { } local) continue;
            NetworkChoice? choice = all.Find(item => item.Choice.Address.Equals(local)).Choice;
            if (choice is { IsLoopback: false }) return choice;
        }
        return null;
    }

    private static string Describe(List<NetworkList.Entry> all, List<string> down)
    {
        IEnumerable<string> up = all.Select(static item => $"{item.Choice.Name} ({item.Choice.Address}/{item.Choice.PrefixLength})");
        string[] texts = [.. up, .. down.Select(static name => $"{name} (down, or without an IPv4 address)")];
        return texts.Length == 0 ? "none" : string.Join(", ", texts);
    }
}
