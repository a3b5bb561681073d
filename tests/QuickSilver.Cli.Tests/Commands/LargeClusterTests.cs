using System.Diagnostics;
using System.Text.Json;

namespace QuickSilver.Cli.Tests.Commands;

/// <summary>What 200 nodes with 10,000 groups cost who watches them. Measured when it is asked for; the nodes are in
/// the process of the test.</summary>
[Trait("needs", "nodes")]
[Trait("is", "measurement")]
public sealed class LargeClusterTests(ITestOutputHelper output)
{
    private const int Nodes = 200;
    private const int GroupsOfEach = 50;
    private static readonly TimeSpan Span = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    [Fact(Explicit = true)]
    public async Task Two_hundred_nodes_with_ten_thousand_groups_are_watched()
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        string cluster = ToolRun.NewCluster();
        QuickSilverNode[] nodes = await StartAsync(cluster);
        try
        {
            long start = Stopwatch.GetTimestamp();
            await using (ToolRun top = ToolRun.Start("top", "-c", cluster, "--json"))
            {
                await UntilAsync(() => top.Lines is [.., var line] && Shown(line) > Nodes, top);
                TimeSpan first = Stopwatch.GetElapsedTime(start);
                int length = top.Lines[^1].Length;
                await TellAsync("top", first, top, () => length * (long)Span.TotalSeconds);
                Assert.Equal(0, await top.InterruptAsync());
            }
            start = Stopwatch.GetTimestamp();
            await using ToolRun dash = ToolRun.Start("dash", "-c", cluster, "--listen", "127.0.0.1:0", "--json");
            string address = (await dash.ItemAsync("dashboard")).GetProperty("address").GetString()!;
            using var browser = new HttpClient { Timeout = Patience };
            await using Stream events = await browser.GetStreamAsync(new Uri($"{address}events"), stop);
            using var reader = new StreamReader(events);
            long read = 0;
            int shown = 0;
            Task following = Task.Run(
                async () =>
                {
                    while (await reader.ReadLineAsync(stop) is { } line)
                    {
                        read += line.Length;
                        if (!line.StartsWith("data: {\"overview\"", StringComparison.Ordinal)) continue;
                        shown = JsonElement.Parse(line[6..]).GetProperty("overview").GetProperty("nodes").GetInt32();
                    }
                },
                stop);
            await UntilAsync(() => Volatile.Read(ref shown) > Nodes, dash);
            await TellAsync("the page", Stopwatch.GetElapsedTime(start), dash, () => Volatile.Read(ref read));
            Assert.Equal(0, await dash.InterruptAsync());
            await following.ContinueWith(static _ => { }, TaskScheduler.Default);
        }
        finally
        {
            await Task.WhenAll(nodes.Select(static node => node.DisposeAsync().AsTask()));
        }
    }

    private static async Task<QuickSilverNode[]> StartAsync(string cluster)
    {
        var nodes = new List<QuickSilverNode>();
        foreach (int[] some in Enumerable.Range(0, Nodes).Chunk(10))
        {
            nodes.AddRange(await Task.WhenAll(some.Select(async number =>
            {
                QuickSilverOptions options = ToolRun.OptionsOf(cluster);
                options.NodeName = $"node-{number:000}";
                options.Membership.JoinTimeout = Patience;
                QuickSilverNode node = await QuickSilverNode.StartAsync(options);
                await node.JoinManyAsync(
                    [.. Enumerable.Range(0, GroupsOfEach).Select(group => $"group-{number:000}-{group:00}")]);
                return node;
            })));
        }
        return [.. nodes];
    }

    private static int Shown(string line) => ToolRun.Parse(line).GetProperty("nodes").GetArrayLength();

    private static async Task UntilAsync(Func<bool> isSo, ToolRun run)
    {
        long start = Stopwatch.GetTimestamp();
        while (!isSo())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Patience, run.All);
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    private async Task TellAsync(string what, TimeSpan first, ToolRun run, Func<long> bytes)
    {
        using Process process = Process.GetProcessById(run.Id);
        (TimeSpan busy, long before) = (process.TotalProcessorTime, bytes());
        await Task.Delay(Span, TestContext.Current.CancellationToken);
        process.Refresh();
        double share = (process.TotalProcessorTime - busy) / Span;
        long told = what == "top" ? before : bytes() - before;
        output.WriteLine(
            $"{what}: all nodes after {first.TotalSeconds:0.0} s, {process.WorkingSet64 >> 20} MiB, "
            + $"{told / Span.TotalSeconds:N0} bytes a second, {share:0.000} s of processor time a second");
    }
}
