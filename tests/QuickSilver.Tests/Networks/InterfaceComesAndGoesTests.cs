namespace QuickSilver.Tests.Networks;

/// <summary>Interfaces that come and go, or are not there, while nodes start.</summary>
[Trait("needs", "nodes")]
public sealed class InterfaceComesAndGoesTests
{
    [Fact]
    public async Task Starts_never_throw_what_is_not_QuickSilvers_while_interfaces_come_and_go()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        await using NetworkNode node = NetworkNode.Launch(network, 0, "node", ["Shutdown:DrainTimeout=00:00:01"]);
        await node.TellAsync("starts 300");
        using var stop = new CancellationTokenSource();
        Task flapping = Task.Run(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                network.Run(
                    0, "for i in 1 2 3 4; do ip link add card$i type veth peer name end$i; ip addr add 10.9.$i.1/24 "
                        + "dev card$i; "
                    + "ip link set card$i up; done; for i in 1 2 3 4; do ip link del card$i; done");
            }
        });
        string done = await node.WaitForAsync("starts ", patience: TimeSpan.FromSeconds(300));
        await stop.CancelAsync();
        await flapping;
        Assert.True(
            done == "starts 300 0",
            done + Environment.NewLine + string.Join(Environment.NewLine, node.Lines.Where(IsFailure)));
    }

    [Fact]
    public async Task A_start_waits_for_an_interface_that_is_down_and_goes_on_when_it_comes_up()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        network.Ip(0, "link set eth0 down");
        await using NetworkNode node = NetworkNode.Launch(
            network, 0, "node", ["Membership:Mode=Host", "Transport:Interface=eth0"]);
        await node.TellAsync("start");
        await node.WaitForAsync("log Warning 1130", "'eth0' is down");
        await Task.Delay(4_000, TestContext.Current.CancellationToken);
        network.Ip(0, "link set eth0 up");
        await node.WaitForAsync("started ");
    }

    [Fact]
    public async Task A_start_without_its_interface_fails_in_time_and_names_it()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        network.Ip(0, "link set eth0 down");
        string[] options = ["Membership:Mode=Host", "Transport:Interface=eth0", "Membership:JoinTimeout=00:00:02"];
        await using NetworkNode node = NetworkNode.Launch(network, 0, "node", options);
        await node.TellAsync("start");
        await node.WaitForAsync("failed start", "InterfaceUnavailable The interface 'eth0' is down");
        await using NetworkNode wrong = NetworkNode.Launch(
            network, 0, "wrong", ["Membership:Mode=Host", "Transport:Interface=eth7"]);
        await wrong.TellAsync("start");
        await wrong.WaitForAsync("failed start", "eth7", TimeSpan.FromSeconds(29));
    }

    [Fact]
    public async Task A_loopback_that_is_down_is_named_as_the_cause()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        network.Ip(0, "link set lo down");
        await using NetworkNode node = NetworkNode.Launch(network, 0, "node", ["Membership:JoinTimeout=00:00:02"]);
        await node.TellAsync("start");
        await node.WaitForAsync("log Warning 1130", "ip link set lo up");
        await node.WaitForAsync("failed start", "InterfaceUnavailable The loopback interface is down");
        await using NetworkNode later = NetworkNode.Launch(network, 0, "later", []);
        await later.TellAsync("start");
        await later.WaitForAsync("log Warning 1130");
        network.Ip(0, "link set lo up");
        await later.WaitForAsync("started ");
    }

    [Fact]
    public async Task A_resolver_that_does_not_answer_is_named_as_the_cause()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 1);
        network.Ip(0, "route add default via 10.77.0.254");
        string[] options = [
            "Membership:Mode=Client", "Membership:Servers:0=no-such-host.example:14999",
            "Membership:JoinTimeout=00:00:06"];
        network.Ip(0, "neigh add 10.77.0.200 lladdr 02:00:00:00:00:99 dev eth0"); // what is sent there reaches nobody
        network.MakeResolver(0, "10.77.0.200");
        await using NetworkNode node = NetworkNode.Launch(network, 0, "node", options);
        await node.TellAsync("start");
        await node.WaitForAsync("failed start", "the resolver (DNS) does not answer");
    }

    private static bool IsFailure(string line) => line.StartsWith("failed", StringComparison.Ordinal);
}
