using System.Buffers.Binary;
using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>The interface and address that a node uses.</summary>
/// <param name="Name">The system's name of the interface.</param>
/// <param name="Address">Its IPv4 address.</param>
/// <param name="Mtu">The longest IP packet that it carries without fragmentation, in bytes.</param>
/// <param name="IsLoopback">True for the loopback interface.</param>
internal sealed record NetworkChoice(string Name, IPAddress Address, int Mtu, bool IsLoopback)
{
    /// <summary>The length of the network prefix, in bits.</summary>
    public int PrefixLength { get; init; } = 32;

    /// <summary>False when the interface reports that it cannot multicast; loopback can, whatever it reports.</summary>
    public bool HasMulticast { get; init; } = true;

    /// <summary>The network of the address.</summary>
    public IPNetwork Network => InterfaceSelector.NetworkOf(Address, PrefixLength);

    /// <summary>
    /// Finds the interface that the settings name. Otherwise it is loopback in loopback mode; else the one by which a
    /// server is reachable. Failing that, it is the best of those that are up, by <see cref="FindBest"/>.
    /// </summary>
    /// <param name="settings">The settings of the transport.</param>
    /// <exception cref="TransportException">There is no such interface at present.</exception>
    public static NetworkChoice Find(TransportSettings settings)
    {
        List<NetworkList.Entry> all = NetworkList.Read(out List<string> down);
        if (settings.Interface is { } text) return FindNamed(text, all, down);
        if (settings.Loopback) return FindLoopback(all);
        return FindByRoute(settings, all)
            ?? FindBest(all, prefersMulticast: settings.Carrier != CarrierPreference.Unicast)
            ?? throw new TransportException(
                TransportFailure.InterfaceUnavailable,
                $"No interface besides loopback is up and has an IPv4 address. There are: {Describe(all, down)}. "
                + "Bring one up. If all nodes are on this machine, use MembershipMode.Loopback, "
                + "or set Transport.Interface to its loopback interface.")
            { MayPass = true };
    }

    /// <summary>Returns the best interface besides loopback: one with multicast if that is preferred, of those one with
    /// a gateway, of those the first. Null when there is none.</summary>
    /// <param name="all">The addresses of the interfaces that are up.</param>
    /// <param name="prefersMulticast">False when packets are to go by unicast in any case.</param>
    public static NetworkChoice? FindBest(List<NetworkList.Entry> all, bool prefersMulticast)
    {
        NetworkList.Entry best = default;
        int most = -1;
        foreach (NetworkList.Entry item in all)
        {
            if (item.Choice.IsLoopback) continue;
            int worth = (prefersMulticast && item.Choice.HasMulticast ? 2 : 0) + (item.HasGateway ? 1 : 0);
            if (worth > most) (best, most) = (item, worth);
        }
        return best.Choice;
    }

    /// <summary>Finds a new address for a node whose address is gone. Candidates are the address in the settings, one
    /// of the same interface, or the one by which a server is reachable. It never chooses an arbitrary interface, which
    /// later checks would accept.</summary>
    /// <param name="settings">The settings of the transport.</param>
    /// <param name="before">The name of the node's previous interface.</param>
    /// <returns>The interface and address; null when there is none at present.</returns>
    /// <exception cref="TransportException">The interface in the settings is absent, or the list is
    /// unreadable.</exception>
    public static NetworkChoice? FindAgain(TransportSettings settings, string before)
    {
        List<NetworkList.Entry> all = NetworkList.Read(out List<string> down);
        if (settings.Interface is { } text) return FindNamed(text, all, down);
        return all.Find(item => item.Choice.Name == before).Choice ?? FindByRoute(settings, all);
    }

    /// <summary>Returns the endpoint of a port at this address.</summary>
    public NetEndpoint At(int port) =>
        new(BinaryPrimitives.ReadUInt32BigEndian(Address.GetAddressBytes()), (ushort)port);

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
            TransportFailure.InterfaceUnavailable,
            $"{what}. There are: {Describe(all, down)}. Set Transport.Interface to one.")
        { MayPass = isThere };
    }

    private static NetworkChoice FindLoopback(List<NetworkList.Entry> all)
    {
        // Where the list is not readable, loopback may exist nevertheless.
        NetworkChoice found = all.Find(static item => item.Choice.IsLoopback).Choice
            ?? new NetworkChoice("lo", IPAddress.Loopback, DatagramSize.LoopbackMtu, true);
        if (NetworkList.IsLoopbackUp()) return found;
        throw new TransportException(
            TransportFailure.InterfaceUnavailable,
            "The loopback interface is down, and nodes of one machine reach each other by it: "
            + "bring it up (ip link set lo up).")
        { MayPass = true };
    }

    // A server on this machine is reachable by loopback, but other machines are not.
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
        IEnumerable<string> up = all.Select(
            static item => $"{item.Choice.Name} ({item.Choice.Address}/{item.Choice.PrefixLength})");
        string[] texts = [.. up, .. down.Select(static name => $"{name} (down, or without an IPv4 address)")];
        return texts.Length == 0 ? "none" : string.Join(", ", texts);
    }
}
