namespace QuickSilver.Tests.Networks;

/// <summary>Hosts with two network cards: which of them a node speaks over.</summary>
[Trait("needs", "nodes")]
public sealed class TwoCardsTests
{
    [Fact]
    public async Task A_client_takes_the_card_by_which_the_server_is_reached_and_not_that_of_the_gateway()
    {
        using NetworkNamespaces network = MakeWithCards(3);
        await using NetworkNode server = await network.StartHostAsync(0, "server", "Transport:Interface=10.88.0.0/24");
        await using NetworkNode one = await StartAsync(network, 1, "one");
        await using NetworkNode two = await StartAsync(network, 2, "two");
        await ExpectTrafficAsync(server, one, two);
        Assert.Contains("10.88.0.2:", await one.AskAsync("id", "id "), StringComparison.Ordinal);
        Assert.DoesNotContain(one.Lines, static line => line.Contains("log Warning 1131", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_host_without_an_interface_is_reached_by_all_its_cards_and_other_networks_are_said()
    {
        using NetworkNamespaces network = MakeWithCards(3);
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode near = await network.StartClientAsync(1, "near");
        await using NetworkNode far = await StartAsync(network, 2, "far");
        foreach (NetworkNode node in new[] { server, near, far }) await node.AskAsync("join group", "joined group");
        await far.WaitForAsync("log Warning 1131", "10.88.0.3/24");
        await near.WaitForAsync("log Warning 1131", "far (10.88.0.3:");
        await server.WaitForAsync("log Warning 1131", "far (10.88.0.3:");
    }

    [Fact]
    public async Task One_configuration_serves_all_hosts_when_the_interface_is_a_network()
    {
        using NetworkNamespaces network = MakeWithCards(3);
        string[] shared = ["Transport:Interface=10.88.0.0/24", "Membership:Servers:0=10.88.0.1:14999"];
        await using NetworkNode server = await NetworkNode.StartAsync(
            network, 0, "server", ["Membership:Mode=Host", .. shared]);
        await using NetworkNode one = await NetworkNode.StartAsync(
            network, 1, "one", ["Membership:Mode=Client", .. shared]);
        await using NetworkNode two = await NetworkNode.StartAsync(
            network, 2, "two", ["Membership:Mode=Client", .. shared]);
        await ExpectTrafficAsync(server, one, two);
    }

    [Fact]
    public async Task A_client_on_another_card_than_the_servers_is_refused_by_name_unless_its_network_is_allowed()
    {
        using NetworkNamespaces network = MakeWithCards(2);
        await using (NetworkNode server = await network.StartHostAsync(0, "server"))
        {
            await using NetworkNode odd = NetworkNode.Launch(
                network, 1, "odd", Client("10.77.0.1", "Transport:Interface=eth1"));
            await odd.TellAsync("start");
            Assert.Contains(
                "Membership.AllowedNetworks", await odd.WaitForAsync("failed start", "MembershipRefused"),
                StringComparison.Ordinal);
            await server.WaitForAsync("log Warning 1109", "ForeignAddress");
        }
        await using NetworkNode lenient = await network.StartHostAsync(
            0, "lenient", "Membership:AllowedNetworks:0=10.88.0.0/24");
        await using NetworkNode even = await NetworkNode.StartAsync(
            network, 1, "even", Client("10.77.0.1", "Transport:Interface=eth1"));
    }

    private static NetworkNamespaces MakeWithCards(int hosts)
    {
        NetworkNamespaces network = NetworkNamespaces.Make(hosts);
        for (int host = 0; host < hosts; host++)
        {
            network.AddCard(host, 1, "eth1", $"10.88.0.{host + 1}/24");
            network.Ip(host, "route add default via 10.77.0.254");
        }
        return network;
    }

    private static Task<NetworkNode> StartAsync(NetworkNamespaces network, int host, string name) =>
        NetworkNode.StartAsync(network, host, name, Client("10.88.0.1"));

    private static string[] Client(string server, params string[] options) =>
        ["Membership:Mode=Client", $"Membership:Servers:0={server}:{NetworkNamespaces.ServerPort}", .. options];

    private static async Task ExpectTrafficAsync(params NetworkNode[] nodes)
    {
        foreach (NetworkNode node in nodes) await node.AskAsync("join group", "joined group");
        foreach (NetworkNode node in nodes) await node.AskAsync("send group 200 800 0", "sent group 200");
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync("group", 200 * nodes.Length);
    }
}
