using System.Globalization;
using QuickSilver.Bench.Lab;

namespace QuickSilver.Tests.Networks;

/// <summary>
/// Hosts on switches, made of network namespaces: the networks of tests that need addresses, cards, cables or firewalls
/// of their own. Where namespaces cannot be made (no root, no Linux, no iproute2 or nftables) the test is skipped, with
/// the reason.
/// <code>
/// [Trait("needs", "nodes")]
/// public sealed class SomeTests
/// {
///     [Fact]
///     public async Task Something_happens()
///     {
///         using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 3);           // 10.77.0.1 to .3, cards
/// eth0, one switch         await using NetworkNode server = await network.StartHostAsync(0, "server");   // Mode =
/// Host at host 0         await using NetworkNode one = await network.StartClientAsync(1, "one");       // a client of
/// host 0; more options: "Path=value"         await one.TellAsync("stay group");
///         await one.WaitForAsync("joined group");
///         network.Nft(2, "add table ip t; add chain ip t in { type filter hook input priority 0; }; "
///             + "add rule ip t in ip daddr 224.0.0.0/4 drop");
///         network.Ip(1, "link set eth0 down");
///     }
/// }
/// </code>
/// Hosts are numbered from 0. Host h has the card eth0 with the address 10.77.0.(h + 1)/24, plugged into port h of the
/// switch, and its multicast goes by that card. <see cref="AddCard"/> gives it another card, in another network with a
/// switch of its own; <see cref="Run"/> runs any command at a host. A node is a process (tests/Programs/TestMember):
/// its commands and lines are told in MemberCommands there.
/// </summary>
internal sealed class NetworkNamespaces : IDisposable
{
    /// <summary>The port at which servers listen: each network has its ports for itself.</summary>
    public const int ServerPort = 14_999;

    private const string Switch = "s";

    private readonly NamespaceSet _set = new();
    private readonly Dictionary<int, string> _switches = [];
    private readonly List<string> _folders = [];

    private NetworkNamespaces()
    {
    }

    /// <summary>Makes hosts on one switch, network 0.</summary>
    /// <param name="hosts">How many.</param>
    /// <param name="isIPv4">Which hosts have an IPv4 address; null for all.</param>
    /// <param name="isIPv6">Which hosts have an IPv6 address besides the link-local one; null for none.</param>
    public static NetworkNamespaces Make(int hosts, Func<int, bool>? isIPv4 = null, Func<int, bool>? isIPv6 = null)
    {
        Assert.SkipUnless(NamespaceSet.CanMake, "networks are made of namespaces, by root on Linux with iproute2");
        Assert.SkipUnless(NamespaceSet.HasTool("nft"), "firewalls of namespaces are made with nftables");
        var network = new NetworkNamespaces();
        try
        {
            network.AddSwitch(0);
            for (int host = 0; host < hosts; host++)
            {
                string name = network._set.Add(Suffix(host));
                bool hasIPv4 = isIPv4?.Invoke(host) ?? true;
                string address = hasIPv4 ? $"{AddressOf(host)}/24" : IPv6PrefixOf(host);
                network._set.Attach(name, "eth0", address, network._switches[0], "br0", $"port{host}");
                if (hasIPv4) network._set.Line($"ip -n {name} route add 224.0.0.0/4 dev eth0");
                if (hasIPv4 && isIPv6?.Invoke(host) == true)
                    network._set.Line($"ip -n {name} addr add {IPv6PrefixOf(host)} dev eth0");
            }
            network._set.Apply();
            return network;
        }
        catch
        {
            network.Dispose();
            throw;
        }
    }

    /// <summary>A host's address in network 0.</summary>
    public static string AddressOf(int host) => $"10.77.0.{Text(host + 1)}";

    /// <summary>A host's IPv6 address in network 0.</summary>
    public static string IPv6AddressOf(int host) => $"fd77::{Text(host + 1)}";

    /// <summary>A host as the programs of iproute2 name it.</summary>
    public string NameOf(int host) => _set.Name + Suffix(host);

    /// <summary>Gives a host another card, in a network with a switch of its own.</summary>
    /// <param name="host">The host.</param>
    /// <param name="network">Number of the network, 1 or more; made with its first card.</param>
    /// <param name="card">The card's name.</param>
    /// <param name="address">Its address, as ADDRESS/BITS.</param>
    public void AddCard(int host, int network, string card, string address)
    {
        if (!_switches.ContainsKey(network)) AddSwitch(network);
        _set.Attach(NameOf(host), card, address, _switches[network], "br0", $"port{Text(host)}");
        _set.Apply();
    }

    /// <summary>Runs "ip" at a host.</summary>
    /// <param name="host">The host.</param>
    /// <param name="arguments">What follows "ip".</param>
    /// <returns>What it printed.</returns>
    public string Ip(int host, string arguments) => Run(host, $"ip {arguments}");

    /// <summary>Changes a host's firewall.</summary>
    /// <param name="host">The host.</param>
    /// <param name="rules">Commands of nft, parted by semicolons or lines.</param>
    public void Nft(int host, string rules) =>
        NamespaceSet.Run([.. NamespaceSet.PrefixOf(NameOf(host)), "nft", "-f", "-"], rules + "\n");

    /// <summary>Names the server that resolves names for a host, from the next process on that is started
    /// there.</summary>
    public void MakeResolver(int host, string address)
    {
        // What lies in this folder takes the place of the same files in /etc, by the rule of "ip netns exec".
        string folder = $"/etc/netns/{NameOf(host)}";
        Directory.CreateDirectory(folder);
        if (!_folders.Contains(folder)) _folders.Add(folder);
        File.WriteAllText(Path.Combine(folder, "resolv.conf"), $"nameserver {address}\noptions timeout:5 attempts:3\n");
        File.WriteAllText(Path.Combine(folder, "nsswitch.conf"), "hosts: files dns\n");
    }

    /// <summary>Gives a host names for addresses, from the next process on that is started there; or changes them while
    /// it runs.</summary>
    /// <param name="host">The host.</param>
    /// <param name="lines">Lines of the file "hosts": an address and a name.</param>
    public void MakeHosts(int host, params string[] lines)
    {
        string folder = $"/etc/netns/{NameOf(host)}";
        Directory.CreateDirectory(folder);
        if (!_folders.Contains(folder)) _folders.Add(folder);
        File.WriteAllLines(Path.Combine(folder, "hosts"), lines);
        File.WriteAllText(Path.Combine(folder, "nsswitch.conf"), "hosts: files\n");
    }

    /// <summary>Runs a command line of the shell at a host.</summary>
    /// <returns>What it printed.</returns>
    public string Run(int host, string command) =>
        NamespaceSet.Run([.. NamespaceSet.PrefixOf(NameOf(host)), "sh", "-ec", command]);

    /// <summary>Runs a command line of the shell at a switch: its ports are port0, port1 and so on, by the hosts'
    /// numbers, its bridge is br0.</summary>
    public string RunAtSwitch(int network, string command) =>
        NamespaceSet.Run([.. NamespaceSet.PrefixOf(_switches[network]), "sh", "-ec", command]);

    /// <summary>Changes the firewall of a switch: tables of the family "bridge", whose forward hook sees what passes
    /// from port to port.</summary>
    public void NftAtSwitch(int network, string rules) =>
        NamespaceSet.Run([.. NamespaceSet.PrefixOf(_switches[network]), "nft", "-f", "-"], rules + "\n");

    /// <summary>Has the switch forward nothing from and to a host, or forward again; the host's card stays
    /// up.</summary>
    public void SetForwarding(int host, bool forwards, int network = 0) =>
        RunAtSwitch(network, $"ip link set port{Text(host)} {(forwards ? "master br0" : "nomaster")}");

    /// <summary>Pulls a host's cable out of the switch, or puts it back: its card is down meanwhile.</summary>
    public void SetCable(int host, bool isIn, int network = 0) =>
        RunAtSwitch(network, $"ip link set port{Text(host)} {(isIn ? "up" : "down")}");

    /// <summary>Starts the node that hosts the membership, and waits until it runs.</summary>
    /// <param name="host">Where.</param>
    /// <param name="name">The node's name.</param>
    /// <param name="options">Further options, as "Path=value".</param>
    public Task<NetworkNode> StartHostAsync(int host, string name, params string[] options) =>
        NetworkNode.StartAsync(this, host, name, ["Membership:Mode=Host", .. options]);

    /// <summary>Starts a client of the membership server at host 0, and waits until it runs.</summary>
    /// <param name="host">Where.</param>
    /// <param name="name">The node's name.</param>
    /// <param name="options">Further options, as "Path=value".</param>
    public Task<NetworkNode> StartClientAsync(int host, string name, params string[] options) =>
        NetworkNode.StartAsync(
            this, host, name,
            ["Membership:Mode=Client", $"Membership:Servers:0={AddressOf(0)}:{Text(ServerPort)}", .. options]);

    /// <inheritdoc/>
    public void Dispose()
    {
        _set.Dispose();
        foreach (string folder in _folders) Directory.Delete(folder, recursive: true);
    }

    private static string IPv6PrefixOf(int host) => $"{IPv6AddressOf(host)}/64 nodad";

    private static string Suffix(int host) => $"h{Text(host)}";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private void AddSwitch(int network)
    {
        string name = _set.Add($"{Switch}{Text(network)}");
        _set.AddBridge(name, "br0");
        _switches.Add(network, name);
    }
}
