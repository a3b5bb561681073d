namespace QuickSilver.Tests.Networks;

/// <summary>That the networks which other tests need work at all.</summary>
[Trait("needs", "nodes")]
public sealed class TwoHostsTests
{
    [Fact]
    public async Task Two_hosts_exchange_messages_over_a_switch()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2);
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode client = await network.StartClientAsync(1, "client");
        await server.AskAsync("join group", "joined group");
        Assert.EndsWith(" 2", await client.AskAsync("join group", "joined group"), StringComparison.Ordinal);

        await client.AskAsync("send group 500 1000 0", "sent group 500");
        await server.AskAsync("send group 500 1000 0", "sent group 500");
        await server.WaitForCountAsync("group", 1000);
        await client.WaitForCountAsync("group", 1000);
        Assert.Contains(client.Lines, static line => line.StartsWith("log Information 1001", StringComparison.Ordinal));
        Assert.Contains(
            "multicast", client.Lines.First(static line => line.Contains(" 1001 ", StringComparison.Ordinal)),
            StringComparison.Ordinal);
    }
}
