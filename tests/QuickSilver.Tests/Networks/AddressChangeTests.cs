namespace QuickSilver.Tests.Networks;

/// <summary>The address of a host changes while a node runs there, as DHCP does it.</summary>
[Trait("needs", "nodes")]
public sealed class AddressChangeTests
{
    [Theory]
    [InlineData("")]
    [InlineData("Transport:Interface=eth0", Explicit = true)]
    [InlineData("Transport:Interface=10.77.0.0/24")]
    public async Task A_client_whose_address_changes_is_back_at_the_new_one_and_receives(string option)
    {
        string[] options = option.Length == 0 ? [] : [option];
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 3);
        await using NetworkNode server = await network.StartHostAsync(0, "server", options);
        await using NetworkNode other = await network.StartClientAsync(1, "other", options);
        await using NetworkNode moved = await network.StartClientAsync(2, "moved", options);
        foreach (NetworkNode node in new[] { server, other, moved })
        {
            await node.TellAsync("stay group");
            await node.WaitForAsync("joined group");
        }
        await other.AskAsync("send group 200 500 0", "sent group 200");
        await moved.WaitForCountAsync("group", 200);

        network.Ip(2, "addr del 10.77.0.3/24 dev eth0");
        await Task.Delay(300, TestContext.Current.CancellationToken);
        network.Ip(2, "addr add 10.77.0.33/24 dev eth0");
        network.Run(2, "ip route replace 224.0.0.0/4 dev eth0");
        await moved.WaitForAsync("lost group Evicted", "from 10.77.0.3 to 10.77.0.33");
        Assert.Contains("10.77.0.33:", await moved.WaitForAsync("rejoined "), StringComparison.Ordinal);
        await moved.WaitForAsync("joined group");

        await other.AskAsync("send group 300 500 0", "sent group 300");
        await moved.WaitForCountAsync("group", 500);
        await moved.AskAsync("send group 100 500 0", "sent group 100");
        await other.WaitForCountAsync("group", 600);
        await Task.Delay(3_000, TestContext.Current.CancellationToken);
        Assert.Single(moved.Lines, static line => line.StartsWith("lost group", StringComparison.Ordinal));
        Assert.Contains(moved.Lines, static line => line.StartsWith("log Warning 1133", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("")]
    [InlineData("Transport:Interface=eth0", Explicit = true)]
    public async Task A_serving_node_whose_address_changes_is_back_and_its_clients_find_it_there(string option)
    {
        string[] options = option.Length == 0 ? [] : [option];
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2);
        await using NetworkNode server = await network.StartHostAsync(0, "server", options);
        await using NetworkNode client = await network.StartClientAsync(
            1, "client", ["Membership:Servers:1=10.77.0.44:14999", .. options]);
        foreach (NetworkNode node in new[] { server, client })
        {
            await node.TellAsync("stay group");
            await node.WaitForAsync("joined group");
        }
        network.Ip(0, "addr del 10.77.0.1/24 dev eth0");
        network.Ip(0, "addr add 10.77.0.44/24 dev eth0");
        network.Run(0, "ip route replace 224.0.0.0/4 dev eth0");
        await server.WaitForAsync("lost group Evicted", "from 10.77.0.1 to 10.77.0.44");
        await server.WaitForAsync("joined group");
        await NetworkNode.UntilAsync(
            async () => (await client.AskAsync("members group", "members group")).Contains(
                "server", StringComparison.Ordinal)
            && (await server.AskAsync("members group", "members group")).Contains("client", StringComparison.Ordinal));

        await client.AskAsync("send group 300 500 0", "sent group 300");
        await server.WaitForCountAsync("group", 300);
        await server.AskAsync("send group 300 500 0", "sent group 300");
        await client.WaitForCountAsync("group", 600);
    }
}
