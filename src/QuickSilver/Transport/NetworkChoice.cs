using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>The interface and address that a node uses.</summary>
/// <param name="Name">The system's name of the interface.</param>
/// <param name="Address">Its address, of IPv4 or IPv6.</param>
/// <param name="Mtu">The longest IP packet that it carries without fragmentation, in bytes.</param>
/// <param name="IsLoopback">True for the loopback interface.</param>
internal sealed record NetworkChoice(string Name, IPAddress Address, int Mtu, bool IsLoopback)
{
    /// <summary>The length of the network prefix, in bits.</summary>
    public int PrefixLength { get; init; } = 32;

    /// <summary>False when the interface reports that it cannot multicast; loopback can, whatever it reports.</summary>
    public bool HasMulticast { get; init; } = true;

    /// <summary>The number of the interface, by which link-local addresses and groups of IPv6 name it; 0 for
    /// IPv4.</summary>
    public long Index { get; init; }

    /// <summary>True for an IPv6 address.</summary>
    public bool IsIPv6 => Address.AddressFamily == AddressFamily.InterNetworkV6;

    /// <summary>The bytes that IP and UDP add to a datagram.</summary>
    public int HeaderBytes => IsIPv6 ? DatagramSize.IPv6Headers : DatagramSize.IPv4Headers;

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
        if (settings.Interface is { } text) return FindNamed(text, settings, all, down);
        if (settings.Loopback) return FindLoopback(all);
        return FindByRoute(settings, all)
            ?? FindBest(Usable(all, settings), prefersMulticast: settings.Carrier != CarrierPreference.Unicast)
            ?? throw new TransportException(
                TransportFailure.InterfaceUnavailable,
                $"No interface besides loopback is up and has {Wanted(settings)}. There are: {Describe(all, down)}. "
                + "Bring one up. If all nodes are on this machine, use MembershipMode.Loopback, "
                + "or set Transport.Interface to its loopback interface.")
            { MayPass = true };
    }

    /// <summary>Returns the best interface besides loopback: one with multicast if that is preferred, of those one with
    /// a gateway, of those one of IPv4, of those the first. Null when there is none.</summary>
    /// <param name="all">The addresses of the interfaces that are up.</param>
    /// <param name="prefersMulticast">False when packets are to go by unicast in any case.</param>
    public static NetworkChoice? FindBest(List<NetworkList.Entry> all, bool prefersMulticast)
    {
        NetworkList.Entry best = default;
        int most = -1;
        foreach (NetworkList.Entry item in all)
        {
            if (item.Choice.IsLoopback) continue;
            int worth = (prefersMulticast && item.Choice.HasMulticast ? 4 : 0) + (item.HasGateway ? 2 : 0)
                + (item.Choice.IsIPv6 ? 0 : 1);
            if (worth > most) (best, most) = (item, worth);
        }
        return best.Choice;
    }

    /// <summary>Finds a new address for a node whose address is gone. Candidates are the address in the settings, one
    /// of the same interface, or the one by which a server is reachable. It never chooses an arbitrary interface, which
    /// later checks would accept.</summary>
    /// <param name="settings">The settings of the transport.</param>
    /// <param name="before">The name of the node's previous interface.</param>
    /// <param name="isIPv6">True if the previous address was of IPv6: one of that family is better.</param>
    /// <returns>The interface and address; null when there is none at present.</returns>
    /// <exception cref="TransportException">The interface in the settings is absent, or the list is
    /// unreadable.</exception>
    public static NetworkChoice? FindAgain(TransportSettings settings, string before, bool isIPv6)
    {
        List<NetworkList.Entry> all = NetworkList.Read(out List<string> down);
        if (settings.Interface is { } text) return FindNamed(text, settings, all, down);
        List<NetworkList.Entry> same = Usable(all, settings).FindAll(item => item.Choice.Name == before);
        return same.Find(item => item.Choice.IsIPv6 == isIPv6).Choice
            ?? FindByRoute(settings, all)
            ?? same.FirstOrDefault().Choice;
    }

    /// <summary>Returns the endpoint of a port at this address.</summary>
    public NetEndpoint At(int port) => new(AddressForms.ToNet(Address), (ushort)port);

    private static NetworkChoice FindNamed(
        string text, TransportSettings settings, List<NetworkList.Entry> all, List<string> down)
    {
        _ = InterfaceSelector.TryParse(text, out InterfaceSelector wish);
        foreach (NetworkList.Entry item in wish.IsName ? Usable(all, settings) : all)
        {
            if (wish.Fits(item.Choice.Name, item.Choice.Address)) return item.Choice;
        }
        bool isThere = down.Contains(text) || (wish.IsName && all.Exists(item => item.Choice.Name == text));
        string what = isThere
            ? $"The interface '{text}' is down, or has not {Wanted(settings)}"
            : $"No interface that is up has the name or address '{text}', or an address in a network of that name";
        throw new TransportException(
            TransportFailure.InterfaceUnavailable,
            $"{what}. There are: {Describe(all, down)}. Set Transport.Interface to one.")
        { MayPass = isThere };
    }

    private static NetworkChoice FindLoopback(List<NetworkList.Entry> all)
    {
        // Where the list is not readable, loopback may exist nevertheless.
        NetworkChoice found = all.Find(static item => item.Choice is { IsLoopback: true, IsIPv6: false }).Choice
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

    // Nobody else needs a link-local address while it is not named, nor one of a family that no server has.
    private static List<NetworkList.Entry> Usable(List<NetworkList.Entry> all, TransportSettings settings) =>
        all.FindAll(item => !item.Choice.Address.IsIPv6LinkLocal
            && (settings.Servers.Count == 0
                || settings.Servers.Any(server => server.AddressFamily == item.Choice.Address.AddressFamily)));

    private static string Wanted(TransportSettings settings)
    {
        bool anyIPv4 = settings.Servers.Any(static server => server.AddressFamily == AddressFamily.InterNetwork);
        bool anyIPv6 = settings.Servers.Any(static server => server.AddressFamily == AddressFamily.InterNetworkV6);
        return anyIPv4 == anyIPv6 ? "an address besides link-local ones"
            : anyIPv4 ? "an IPv4 address, as the servers have" : "an IPv6 address, as the servers have";
    }

    private static string Describe(List<NetworkList.Entry> all, List<string> down)
    {
        IEnumerable<string> up = all.Select(
            static item => $"{item.Choice.Name} ({item.Choice.Address}/{item.Choice.PrefixLength})");
        string[] texts = [.. up, .. down.Select(static name => $"{name} (down, or without an address)")];
        return texts.Length == 0 ? "none" : string.Join(", ", texts);
    }
}
