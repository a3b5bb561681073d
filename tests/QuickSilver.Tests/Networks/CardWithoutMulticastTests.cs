namespace QuickSilver.Tests.Networks;

/// <summary>Hosts whose only card reports no multicast, as those of tunnels and of some clouds.</summary>
[Trait("needs", "nodes")]
public sealed class CardWithoutMulticastTests
{
    private const string Group = "group";

    [Theory]
    [InlineData(3)]
    [InlineData(1)]
    public async Task The_only_card_is_taken_and_packets_go_by_unicast(int without)
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 3);
        for (int host = 0; host < without; host++) network.Ip(host, "link set eth0 multicast off");
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await server.WaitForAsync("log Information 1001", "unicast");
        await server.WaitForAsync("log Information 1204", "the interface eth0 (10.77.0.1) has no multicast");
        await using NetworkNode one = await network.StartClientAsync(1, "one");
        await using NetworkNode two = await network.StartClientAsync(2, "two");
        NetworkNode[] nodes = [server, one, two];
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");
        foreach (NetworkNode node in nodes) await node.AskAsync($"send {Group} 200 800 0", $"sent {Group} 200");
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync(Group, 600);
    }

    [Fact]
    public async Task Multicast_that_was_asked_for_is_refused_at_once_and_the_card_is_named()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        network.Ip(0, "link set eth0 multicast off");
        await using NetworkNode node = NetworkNode.Launch(
            network, 0, "node", ["Membership:Mode=Host", "Transport:Kind=Multicast"]);
        await node.TellAsync("start");
        await node.WaitForAsync(
            "failed start", "MulticastUnavailable Multicast was asked for, but the interface eth0 (10.77.0.1) has no");
    }

    [Fact]
    public async Task Without_a_card_the_start_says_what_there_is()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        network.Ip(0, "link set eth0 down");
        await using NetworkNode node = NetworkNode.Launch(
            network, 0, "node", ["Membership:Mode=Host", "Membership:JoinTimeout=00:00:02"]);
        await node.TellAsync("start");
        await node.WaitForAsync("log Warning 1130", "eth0 (down, or without an address)");
        await node.WaitForAsync("failed start", "Bring one up");
    }
}
