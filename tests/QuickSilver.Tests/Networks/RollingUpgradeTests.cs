using System.Diagnostics;
using System.Globalization;

namespace QuickSilver.Tests.Networks;

/// <summary>
/// Five hosts that elect their server by an etcd are stopped in good order and started again, one by one, under a
/// stream: with this build, and from the packages of the previous version to this build.
/// </summary>
[Trait("needs", "nodes")]
public sealed class RollingUpgradeTests
{
    private const string Group = "group";
    private const int Hosts = 5;
    private const int Rate = 2_000;
    private const int Seconds = 45;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Hosts_are_replaced_one_by_one_under_a_stream_and_nothing_is_lost(bool isFromPrevious)
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Hosts + 3);
        await using var etcd = new EtcdProcess(network, Hosts + 2);
        string[] options = [$"Etcd={etcd.EndPoint}"];
        var nodes = new List<NetworkNode>();
        try
        {
            for (int host = 0; host < Hosts; host++) nodes.Add(await StartAsync(host, isFromPrevious));
            // It sends, and never ends; so does the one that receives all, which is of this build in any case.
            NetworkNode sender = await StartAsync(Hosts, isFromPrevious);
            nodes.Add(sender);
            NetworkNode witness = await StartAsync(Hosts + 1, isPrevious: false);
            nodes.Add(witness);
            await sender.TellAsync($"send {Group} {Rate * Seconds} 200 {Rate}");
            await witness.WaitForCountAsync(Group, Rate);
            for (int host = 0; host < Hosts; host++)
            {
                NetworkNode before = nodes[host];
                await AssertUndisturbedAsync(before, isLast: false);
                bool serves = before.Lines.Any(
                    static line => line.StartsWith("log Information 1101", StringComparison.Ordinal));
                long stopped = Stopwatch.GetTimestamp();
                await before.AskAsync("stop", "stopped");
                TimeSpan stopping = Stopwatch.GetElapsedTime(stopped);
                await before.DisposeAsync();
                nodes[host] = await StartAsync(host, isPrevious: false);
                Say(
                    $"host {host}{(serves ? ", which served," : "")} stopped in {stopping.TotalSeconds:F1} s, "
                    + $"joined again {Stopwatch.GetElapsedTime(stopped).TotalSeconds:F1} s after it was told to stop");
            }
            await sender.WaitForAsync($"sent {Group} {Rate * Seconds}", patience: TimeSpan.FromMinutes(2));
            await witness.WaitForCountAsync(Group, Rate * Seconds);
            foreach (NetworkNode node in nodes) await AssertUndisturbedAsync(node, isLast: true);
            Say(await witness.AskAsync($"oldest {Group}", $"oldest {Group}"));
        }
        finally
        {
            foreach (NetworkNode node in nodes) await node.DisposeAsync();
        }

        async Task<NetworkNode> StartAsync(int host, bool isPrevious)
        {
            NetworkNode node = isPrevious
                ? await NetworkNode.StartPreviousAsync(network, host, $"node{host}", options)
                : await NetworkNode.StartAsync(network, host, $"node{host}", options);
            await node.AskAsync($"join {Group}", $"joined {Group}");
            return node;
        }
    }

    private static async Task AssertUndisturbedAsync(NetworkNode node, bool isLast)
    {
        if (isLast)
        {
            await NetworkNode.UntilAsync(async () =>
                (await node.AskAsync($"members {Group}", $"members {Group}")).Split(' ').Length - 2 == Hosts + 2);
        }
        string statistics = (await node.AskAsync("lost", "lost ")).Split(' ')[1];
        Assert.Equal(0, int.Parse(statistics, CultureInfo.InvariantCulture));
        Assert.DoesNotContain(node.Lines, static line => line.StartsWith("ended ", StringComparison.Ordinal));
        Assert.DoesNotContain(node.Lines, static line => line.StartsWith("rejoined ", StringComparison.Ordinal));
    }

    private static void Say(string line) => TestContext.Current.TestOutputHelper?.WriteLine(line);
}
