using System.Diagnostics;

namespace QuickSilver.Tests.Networks;

/// <summary>Nodes of several hosts that elect their server by an etcd: what becomes of them when the server dies or
/// stands still, or the etcd dies.</summary>
[Trait("needs", "nodes")]
public sealed class ElectedHostsTests
{
    private const string Group = "group";
    private const string Serves = "log Information 1101";
    private const int Nodes = 4;

    [Fact]
    public async Task A_server_that_is_killed_is_followed_and_no_message_is_lost()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Nodes + 2);
        await using var etcd = new EtcdProcess(network, Nodes + 1);
        List<NetworkNode> nodes = await StartAsync(network, etcd, Nodes);
        try
        {
            NetworkNode server = Serving(nodes);
            List<NetworkNode> others = [.. nodes.Where(node => node != server)];
            foreach (NetworkNode sender in others) await sender.TellAsync($"send {Group} 1500 500 100");
            await others[0].WaitForCountAsync(Group, 300);
            long killed = Stopwatch.GetTimestamp();
            server.Kill();
            NetworkNode? next = null;
            await NetworkNode.UntilAsync(() =>
                Task.FromResult((next = others.Find(static node => node.Lines.Any(IsServing))) is not null));
            await using NetworkNode late = await StartAsync(network, etcd, Nodes, "late");
            await late.AskAsync($"join {Group}", $"joined {Group}");
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"from the kill to a join: {Stopwatch.GetElapsedTime(killed).TotalSeconds:F1} s");
            foreach (NetworkNode sender in others) await sender.WaitForAsync($"sent {Group} 1500");
            foreach (NetworkNode node in others) await node.WaitForCountAsync(Group, others.Count * 1500);
            await AssertUndisturbedAsync(others, lives: others.Count + 1);
        }
        finally
        {
            foreach (NetworkNode node in nodes) await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task Data_flows_while_etcd_is_dead_and_joins_go_on_when_it_is_back()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Nodes + 2);
        await using var etcd = new EtcdProcess(network, Nodes + 1);
        List<NetworkNode> nodes = await StartAsync(network, etcd, 3);
        try
        {
            await etcd.KillAsync();
            await Serving(nodes).WaitForAsync("log Warning 1147");
            await nodes[0].AskAsync($"send {Group} 200 500 1000", $"sent {Group} 200");
            foreach (NetworkNode node in nodes) await node.WaitForCountAsync(Group, 200);
            await using NetworkNode late = NetworkNode.Launch(network, Nodes, "late", Options(etcd));
            await late.TellAsync("start");
            await late.WaitForAsync("log Warning 1104", "etcd");
            etcd.Start();
            await late.WaitForAsync("started ");
            await late.AskAsync($"join {Group}", $"joined {Group}");
            await AssertUndisturbedAsync(nodes, lives: 4);
        }
        finally
        {
            foreach (NetworkNode node in nodes) await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_server_that_stands_still_beyond_its_lease_serves_nothing_when_it_wakes()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Nodes + 2);
        await using var etcd = new EtcdProcess(network, Nodes + 1);
        List<NetworkNode> nodes = await StartAsync(network, etcd, 3);
        try
        {
            NetworkNode server = Serving(nodes);
            List<NetworkNode> others = [.. nodes.Where(node => node != server)];
            server.Freeze(begins: true);
            await NetworkNode.UntilAsync(() =>
                Task.FromResult(others.Exists(static node => node.Lines.Any(IsServing))));
            server.Freeze(begins: false);
            await server.WaitForAsync("log Warning 1147");
            await using NetworkNode late = await StartAsync(network, etcd, Nodes, "late");
            await late.AskAsync($"join {Group}", $"joined {Group}");
            await others[0].AskAsync($"send {Group} 200 500 1000", $"sent {Group} 200");
            foreach (NetworkNode node in others) await node.WaitForCountAsync(Group, 200);
            Assert.Single(server.Lines, IsServing);
            Assert.DoesNotContain(
                others.SelectMany(static node => node.Lines),
                static line => line.StartsWith("ended ", StringComparison.Ordinal));
        }
        finally
        {
            foreach (NetworkNode node in nodes) await node.DisposeAsync();
        }
    }

    private static bool IsServing(string line) => line.StartsWith(Serves, StringComparison.Ordinal);

    private static NetworkNode Serving(List<NetworkNode> nodes) =>
        Assert.Single(nodes, static node => node.Lines.Any(IsServing));

    private static string[] Options(EtcdProcess etcd) => [$"Etcd={etcd.EndPoint}"];

    private static Task<NetworkNode> StartAsync(NetworkNamespaces network, EtcdProcess etcd, int host, string name) =>
        NetworkNode.StartAsync(network, host, name, Options(etcd));

    private static async Task<List<NetworkNode>> StartAsync(NetworkNamespaces network, EtcdProcess etcd, int count)
    {
        var nodes = new List<NetworkNode>();
        for (int host = 0; host < count; host++) nodes.Add(await StartAsync(network, etcd, host, $"node{host}"));
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");
        return nodes;
    }

    private static async Task AssertUndisturbedAsync(List<NetworkNode> nodes, int lives)
    {
        foreach (NetworkNode node in nodes)
        {
            await NetworkNode.UntilAsync(async () =>
                (await node.AskAsync($"members {Group}", $"members {Group}")).Split(' ').Length - 2 == lives);
            Assert.Equal(0, (await node.StatisticsAsync()).MessagesLost);
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("ended ", StringComparison.Ordinal));
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("rejoined ", StringComparison.Ordinal));
        }
    }
}
