namespace QuickSilver.Tests.Networks;

/// <summary>Hosts that find each other with no address configured.</summary>
[Trait("needs", "nodes")]
public sealed class DiscoveryHostsTests
{
    private const string Discovers = "Membership:Discovery:Multicast=true";
    private static readonly string[] Client = ["Membership:Mode=Client", Discovers];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Hosts_of_one_family_find_each_other_and_the_next_server(bool isIPv6)
    {
        using NetworkNamespaces network =
            NetworkNamespaces.Make(hosts: 4, isIPv4: _ => !isIPv6, isIPv6: _ => isIPv6);
        NetworkNode server = await network.StartHostAsync(0, "server", Discovers);
        await using NetworkNode one = await NetworkNode.StartAsync(network, 1, "one", Client);
        await using NetworkNode two = await NetworkNode.StartAsync(network, 2, "two", Client);
        await ExchangeAsync(server, one, two);
        Assert.Contains(
            isIPv6 ? $"[{NetworkNamespaces.IPv6AddressOf(0)}]:14999" : $"{NetworkNamespaces.AddressOf(0)}:14999",
            one.Lines.First(static line => line.Contains("log Information 1102", StringComparison.Ordinal)),
            StringComparison.Ordinal);

        // At another address, which nobody was told.
        server.Kill();
        await server.DisposeAsync();
        await using NetworkNode next = await network.StartHostAsync(3, "next", Discovers);
        await next.AskAsync("join group", "joined group");
        foreach (NetworkNode node in (NetworkNode[])[one, two, next])
        {
            await NetworkNode.UntilAsync(async () =>
                (await node.AskAsync("members group", "members group")).Split(' ').Length - 2 == 3);
        }
    }

    [Fact]
    public async Task Hosts_with_link_local_addresses_alone_find_each_other()
    {
        using NetworkNamespaces network =
            NetworkNamespaces.Make(hosts: 2, isIPv4: static _ => false, isIPv6: static _ => true);
        for (int host = 0; host < 2; host++)
        {
            network.Ip(host, "addr flush dev eth0 scope global");
            network.Ip(host, $"addr add fe80::77:{host + 1}/64 dev eth0 nodad");
        }
        await using NetworkNode server = await network.StartHostAsync(
            0, "server", Discovers, "Transport:Interface=fe80::77:1");
        await using NetworkNode client = await NetworkNode.StartAsync(
            network, 1, "client", [.. Client, "Transport:Interface=fe80::77:2"]);
        await ExchangeAsync(server, client);
    }

    [Fact]
    public async Task A_second_host_hears_the_first_and_two_that_were_cut_apart_say_so()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 3);
        await using NetworkNode first = await network.StartHostAsync(0, "first", Discovers);
        await using NetworkNode second = NetworkNode.Launch(network, 1, "second", ["Membership:Mode=Host", Discovers]);
        await second.TellAsync("start");
        await second.WaitForAsync("failed start", "AnotherHost");

        network.SetForwarding(2, forwards: false);
        await using NetworkNode third = await network.StartHostAsync(2, "third", Discovers);
        network.SetForwarding(2, forwards: true);
        await first.WaitForAsync("log Error 1132", NetworkNamespaces.AddressOf(2), TimeSpan.FromMinutes(2));
    }

    private static async Task ExchangeAsync(params NetworkNode[] nodes)
    {
        foreach (NetworkNode node in nodes) await node.AskAsync("join group", "joined group");
        foreach (NetworkNode node in nodes) await node.AskAsync("send group 500 1000 0", "sent group 500");
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync("group", 500 * nodes.Length);
    }
}
