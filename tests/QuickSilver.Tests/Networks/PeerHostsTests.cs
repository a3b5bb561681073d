using System.Diagnostics;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Networks;

/// <summary>Nodes of several hosts that find each other by announcements, with a key, and elect their server
/// themselves: what becomes of them when the server dies, when the network falls apart, and when two clusters
/// meet.</summary>
[Trait("needs", "nodes")]
public sealed class PeerHostsTests
{
    private const string Group = "group";
    private const string Serves = "log Information 1101";
    private const int Nodes = 5;
    private const string Cut =
        "add table bridge cut; add chain bridge cut f { type filter hook forward priority 0; }; "
        + "add rule bridge cut f iifname { port0, port1 } oifname { port2, port3, port4 } drop; "
        + "add rule bridge cut f iifname { port2, port3, port4 } oifname { port0, port1 } drop";

    [Fact]
    public async Task A_server_that_is_killed_is_followed_and_no_message_is_lost()
    {
        using var folder = new TestFolder();
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Nodes + 1);
        List<NetworkNode> nodes = await StartAsync(network, folder, Nodes, founders: 3);
        try
        {
            NetworkNode server = Serving(nodes);
            List<NetworkNode> others = [.. nodes.Where(node => node != server)];
            foreach (NetworkNode sender in others[..3]) await sender.TellAsync($"send {Group} 1500 500 100");
            await others[0].WaitForCountAsync(Group, 300);
            long killed = Stopwatch.GetTimestamp();
            server.Kill();
            await using NetworkNode late = NetworkNode.Launch(network, Nodes, "late", Options(folder, founders: 3));
            await late.TellAsync("start");
            await late.WaitForAsync("started ");
            await late.AskAsync($"join {Group}", $"joined {Group}");
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"from the kill to a join: {Stopwatch.GetElapsedTime(killed).TotalSeconds:F1} s");
            foreach (NetworkNode sender in others[..3]) await sender.WaitForAsync($"sent {Group} 1500");
            foreach (NetworkNode node in others) await node.WaitForCountAsync(Group, 4500);
            await AssertUndisturbedAsync(others, lives: Nodes);
        }
        finally
        {
            foreach (NetworkNode node in nodes) await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task The_majority_goes_on_and_the_minority_waits_says_why_and_comes_back()
    {
        using var folder = new TestFolder();
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Nodes + 1);
        List<NetworkNode> nodes = await StartAsync(network, folder, Nodes, founders: 3);
        try
        {
            network.NftAtSwitch(0, Cut);
            List<NetworkNode> minority = nodes[..2];
            List<NetworkNode> majority = nodes[2..];
            foreach (NetworkNode node in majority) await WaitForMembersAsync(node, 3);
            await majority[0].AskAsync($"send {Group} 200 500 1000", $"sent {Group} 200");
            foreach (NetworkNode node in majority) await node.WaitForCountAsync(Group, 200);
            Assert.Contains(majority, static node => node.Lines.Any(IsServing));
            foreach (NetworkNode node in minority) await node.WaitForAsync("log Warning 1104", "voters agree");
            network.NftAtSwitch(0, "delete table bridge cut");
            foreach (NetworkNode node in minority)
            {
                await node.WaitForAsync("rejoined ");
                await node.AskAsync($"join {Group}", $"joined {Group}");
            }
            foreach (NetworkNode node in nodes) await WaitForMembersAsync(node, Nodes);
            Assert.DoesNotContain(
                majority.SelectMany(static node => node.Lines),
                static line => line.StartsWith("ended ", StringComparison.Ordinal));
        }
        finally
        {
            foreach (NetworkNode node in nodes) await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task Two_clusters_that_were_started_apart_become_one()
    {
        using var folder = new TestFolder();
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Nodes + 1);
        network.NftAtSwitch(0, Cut);
        List<NetworkNode> nodes = await StartAsync(network, folder, Nodes, founders: 1);
        try
        {
            foreach (NetworkNode node in nodes[..2]) await WaitForMembersAsync(node, 2);
            foreach (NetworkNode node in nodes[2..]) await WaitForMembersAsync(node, 3);
            network.NftAtSwitch(0, "delete table bridge cut");
            foreach (NetworkNode node in nodes[..2])
            {
                await node.WaitForAsync("rejoined ");
                await node.AskAsync($"join {Group}", $"joined {Group}");
            }
            foreach (NetworkNode node in nodes) await WaitForMembersAsync(node, Nodes);
            Assert.DoesNotContain(
                nodes[2..].SelectMany(static node => node.Lines),
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

    private static string[] Options(TestFolder folder, int founders)
    {
        string key = folder.File("cluster.key");
        if (!File.Exists(key)) PreSharedKey.CreateFile(key);
        return
        [
            "Membership:Mode=Peers", $"Membership:Peers:Founders={founders}", "Security:Mode=PreSharedKey",
            $"Security:KeyFile={key}",
        ];
    }

    private static async Task<List<NetworkNode>> StartAsync(
        NetworkNamespaces network, TestFolder folder, int count, int founders)
    {
        var nodes = new List<NetworkNode>();
        string[] options = Options(folder, founders);
        for (int host = 0; host < count; host++)
            nodes.Add(NetworkNode.Launch(network, host, $"node{host}", options));
        // Where one founds alone, the others of its side come when it has.
        foreach (NetworkNode node in nodes)
        {
            await node.TellAsync("start");
            if (founders == 1) await node.WaitForAsync("started ");
        }
        if (founders > 1)
        {
            foreach (NetworkNode node in nodes) await node.WaitForAsync("started ");
        }
        // A busy machine answers late. Then two of a side found, and they merge before groups are joined.
        if (founders == 1)
            await NetworkNode.UntilAsync(() => Task.FromResult(nodes.Count(ServesNow) == 2 && nodes.All(IsSettled)));
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");
        return nodes;
    }

    private static bool ServesNow(NetworkNode node) => node.Lines.Count(IsServing) > node.Lines.Count(IsStopped);

    private static bool IsStopped(string line) => line.Contains("has stopped to serve", StringComparison.Ordinal);

    private static bool IsRejoined(string line) => line.StartsWith("rejoined ", StringComparison.Ordinal);

    private static bool IsSettled(NetworkNode node) => node.Lines.Count(IsStopped) == node.Lines.Count(IsRejoined);

    private static Task WaitForMembersAsync(NetworkNode node, int count) => NetworkNode.UntilAsync(async () =>
        (await node.AskAsync($"members {Group}", $"members {Group}")).Split(' ').Length - 2 == count);

    private static async Task AssertUndisturbedAsync(List<NetworkNode> nodes, int lives)
    {
        foreach (NetworkNode node in nodes)
        {
            await WaitForMembersAsync(node, lives);
            Assert.Equal(0, (await node.StatisticsAsync()).MessagesLost);
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("ended ", StringComparison.Ordinal));
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("rejoined ", StringComparison.Ordinal));
        }
    }
}
