namespace QuickSilver.Tests.Networks;

/// <summary>Two hosts of one cluster name, and clients that list both.</summary>
[Trait("needs", "nodes")]
public sealed class SecondHostTests
{
    private static readonly string[] Both = [
        "Membership:Servers:0=10.77.0.1:14999", "Membership:Servers:1=10.77.0.2:14999"];

    [Fact]
    public async Task The_second_host_does_not_start_while_the_first_serves_and_starts_when_that_has_gone()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 3);
        NetworkNode first = await StartAsync(network, 0, "first", "Host");
        await using (first)
        {
            await using NetworkNode second = NetworkNode.Launch(
                network, 1, "second", ["Membership:Mode=Host", .. Both]);
            await second.TellAsync("start");
            await second.WaitForAsync(
                "failed start", "AnotherHost Another host serves the cluster 'networks' at 10.77.0.1:14999");
        }
        await using NetworkNode instead = await StartAsync(network, 1, "instead", "Host");
        await using NetworkNode client = await StartAsync(network, 2, "client", "Client");
    }

    [Fact]
    public async Task An_address_that_does_not_answer_costs_a_host_no_more_than_a_moment()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        string[] options = [
            "Membership:Mode=Host", "Membership:JoinTimeout=00:00:08", .. Both,
            "Membership:Servers:2=10.77.0.99:14999"];
        await using NetworkNode host = await NetworkNode.StartAsync(network, 0, "host", options);
    }

    [Fact]
    public async Task Two_hosts_that_did_not_see_each_other_say_so_and_a_client_that_moves_is_told_the_reason()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        network.SetForwarding(1, forwards: false);
        await using NetworkNode second = await StartAsync(network, 1, "second", "Host");
        await second.AskAsync("join other", "joined other");
        network.SetForwarding(0, forwards: false);
        NetworkNode first = await StartAsync(network, 0, "first", "Host");
        await using (first)
        {
            network.SetForwarding(0, forwards: true);
            await using NetworkNode client = await StartAsync(network, 2, "client", "Client");
            await client.TellAsync("stay group");
            await client.WaitForAsync("joined group");
            network.SetForwarding(1, forwards: true);
            await first.WaitForAsync("log Error 1132", "10.77.0.2");
            await second.WaitForAsync("log Error 1132", "10.77.0.1");
            // the second's cluster is no longer young: it is not given up
            await Task.Delay(12_000, TestContext.Current.CancellationToken);
            first.Kill();
            Assert.Contains(
                "a second host of that name", await client.WaitForAsync("lost group Evicted"),
                StringComparison.Ordinal);
            await client.WaitForAsync("joined group");
        }
    }

    private static Task<NetworkNode> StartAsync(NetworkNamespaces network, int host, string name, string mode) =>
        NetworkNode.StartAsync(network, host, name, [$"Membership:Mode={mode}", .. Both]);
}
