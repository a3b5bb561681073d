namespace QuickSilver.Tests.Networks;

/// <summary>Clusters on networks that have IPv6 alone, or both families, and servers of names with several
/// addresses.</summary>
[Trait("needs", "nodes")]
public sealed class IPv6Tests
{
    private static readonly string[] AtIPv6 = ServerAt($"[{NetworkNamespaces.IPv6AddressOf(0)}]");

    [Theory]
    [InlineData("Transport:Kind=Multicast", "multicast")]
    [InlineData("Transport:Kind=Unicast", "unicast")]
    [InlineData("Transport:MulticastPoolIPv6=ff12::100/120", "multicast")]
    [InlineData("Transport:FastPath=false", "multicast")]
    public async Task Hosts_of_IPv6_alone_exchange_messages(string option, string carrier)
    {
        using NetworkNamespaces network =
            NetworkNamespaces.Make(hosts: 3, isIPv4: static _ => false, isIPv6: static _ => true);
        await using NetworkNode server = await network.StartHostAsync(0, "server", option);
        await using NetworkNode one = await NetworkNode.StartAsync(network, 1, "one", [.. AtIPv6, option]);
        await using NetworkNode two = await NetworkNode.StartAsync(network, 2, "two", [.. AtIPv6, option]);
        await ExchangeAsync(server, one, two);
        AssertChose(one, carrier, NetworkNamespaces.IPv6AddressOf(1));
    }

    [Fact]
    public async Task Hosts_with_link_local_addresses_alone_exchange_messages()
    {
        using NetworkNamespaces network =
            NetworkNamespaces.Make(hosts: 2, isIPv4: static _ => false, isIPv6: static _ => true);
        for (int host = 0; host < 2; host++)
        {
            network.Ip(host, "addr flush dev eth0 scope global");
            network.Ip(host, $"addr add fe80::77:{host + 1}/64 dev eth0 nodad");
        }
        await using NetworkNode server = await network.StartHostAsync(0, "server", "Transport:Interface=fe80::77:1");
        await using NetworkNode client = await NetworkNode.StartAsync(
            network, 1, "client", [.. ServerAt("[fe80::77:1%eth0]"), "Transport:Interface=fe80::77:2"]);
        await ExchangeAsync(server, client);
    }

    [Fact]
    public async Task Hosts_of_both_families_speak_IPv4_and_one_that_has_IPv6_alone_is_told_so()
    {
        using NetworkNamespaces network =
            NetworkNamespaces.Make(hosts: 3, isIPv4: static host => host < 2, isIPv6: static _ => true);
        for (int host = 1; host < 3; host++)
        {
            network.MakeHosts(
                host, $"{NetworkNamespaces.IPv6AddressOf(0)} server", $"{NetworkNamespaces.AddressOf(0)} server");
        }
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode client = await NetworkNode.StartAsync(network, 1, "client", ServerAt("server"));
        await ExchangeAsync(server, client);
        AssertChose(client, "multicast", NetworkNamespaces.AddressOf(1));

        await using NetworkNode other = NetworkNode.Launch(network, 2, "other", ServerAt("server"));
        await other.TellAsync("start");
        await other.WaitForAsync("failed start", "AddressFamilyMismatch");
    }

    [Fact]
    public async Task Hosts_of_both_families_speak_IPv6_to_a_server_that_has_it_alone()
    {
        using NetworkNamespaces network =
            NetworkNamespaces.Make(hosts: 2, isIPv4: static host => host == 1, isIPv6: static _ => true);
        network.MakeHosts(1, "10.77.0.9 server", $"{NetworkNamespaces.IPv6AddressOf(0)} server");
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode client = await NetworkNode.StartAsync(network, 1, "client", ServerAt("server"));
        await ExchangeAsync(server, client);
        AssertChose(client, "multicast", NetworkNamespaces.IPv6AddressOf(1));
    }

    [Fact]
    public async Task An_interface_of_the_other_family_than_the_servers_is_named()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1, isIPv6: static _ => true);
        string[] options = [.. AtIPv6, $"Transport:Interface={NetworkNamespaces.AddressOf(0)}"];
        await using NetworkNode node = NetworkNode.Launch(network, 0, "node", options);
        await node.TellAsync("start");
        await node.WaitForAsync("failed start", "AddressFamilyMismatch");
    }

    // The resolver sorts addresses by how much they have in common with the host's own: 10.77.0.5 comes first at
    // 10.77.0.4.
    [Fact]
    public async Task All_addresses_of_a_name_are_tried()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        network.MakeHosts(3, "10.77.0.5 server", $"{NetworkNamespaces.AddressOf(0)} server");
        network.Ip(3, "neigh add 10.77.0.5 lladdr 02:00:00:00:00:99 dev eth0"); // what is sent there reaches nobody
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode client = await NetworkNode.StartAsync(network, 3, "client", ServerAt("server"));
        await ExchangeAsync(server, client);
    }

    [Fact]
    public async Task A_name_is_followed_while_the_program_runs()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2);
        network.MakeHosts(1, "10.77.0.9 server");
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode client = NetworkNode.Launch(network, 1, "client", ServerAt("server"));
        await client.TellAsync("start");
        await client.WaitForAsync("log Warning", "server:14999");
        network.MakeHosts(1, $"{NetworkNamespaces.AddressOf(0)} server");
        await client.WaitForAsync("started ");
        await ExchangeAsync(server, client);
    }

    private static string[] ServerAt(string host) =>
        ["Membership:Mode=Client", $"Membership:Servers:0={host}:{NetworkNamespaces.ServerPort}"];

    private static async Task ExchangeAsync(params NetworkNode[] nodes)
    {
        foreach (NetworkNode node in nodes) await node.AskAsync("join group", "joined group");
        foreach (NetworkNode node in nodes) await node.AskAsync("send group 500 1000 0", "sent group 500");
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync("group", 500 * nodes.Length);
    }

    private static void AssertChose(NetworkNode node, string carrier, string address)
    {
        string line = node.Lines.First(static one => one.Contains(" 1001 ", StringComparison.Ordinal));
        Assert.Contains(carrier, line, StringComparison.Ordinal);
        Assert.Contains(address, line, StringComparison.Ordinal);
    }
}
