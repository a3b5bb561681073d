using System.Text.Json;

namespace QuickSilver.Cli.Tests.Commands;

[Trait("needs", "nodes")]
public sealed class ClusterTests
{
    [Fact]
    public async Task Members_groups_and_a_view_are_told()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun one = ToolRun.Start("sub", "news", "-c", cluster, "--name", "one", "--json");
        await one.ItemAsync("joined");
        await using ToolRun two = ToolRun.Start("sub", "news", "-c", cluster, "--name", "two", "--json");
        await two.ItemAsync("joined");

        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(
            "view", "news", "-c", cluster, "--json");
        Assert.True(code == 0, all);
        Assert.Equal(
            ["one", "two"],
            ToolRun.Parse(lines[0]).GetProperty("members").EnumerateArray()
                .Select(static member => member.GetProperty("node").GetString()).Order());

        (code, lines, all) = await ToolRun.RunAsync("members", "-c", cluster, "--name", "three", "--json");
        Assert.True(code == 0, all);
        Assert.Equal(
            ["one", "three", "two"],
            lines.Select(static line => ToolRun.Parse(line).GetProperty("node").GetString()).Order());

        (code, lines, all) = await ToolRun.RunAsync("groups", "-c", cluster);
        Assert.True(code == 0, all);
        Assert.Contains(lines, static line => line.StartsWith("news ", StringComparison.Ordinal));
        Assert.StartsWith("GROUP", lines[0], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Top_tells_the_rates_of_nodes()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun sub = ToolRun.Start("sub", "news", "-c", cluster, "--name", "reader", "--json");
        await sub.ItemAsync("joined");
        await using ToolRun pub = ToolRun.Start(
            "pub", "news", "-c", cluster, "--name", "writer", "--text", "x", "--rate", "200", "--count", "100000");
        await using ToolRun top = ToolRun.Start("top", "-c", cluster, "--json");
        await top.UntilAsync(() => top.Lines.Any(static line => RateOf(line, "writer") > 20), "a rate is told");
        Assert.Equal(0, await top.InterruptAsync());
        Assert.Equal(0, await pub.InterruptAsync());
    }

    [Fact]
    public async Task Top_fills_a_terminal_and_gives_it_back()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/script"), "a terminal is made by script (util-linux)");
        string cluster = ToolRun.NewCluster();
        await using ToolRun sub = ToolRun.Start("sub", "news", "-c", cluster, "--name", "reader", "--json");
        await sub.ItemAsync("joined");
        await using ToolRun top = ToolRun.InTerminal("top", "-c", cluster, "--count", "3");
        Assert.Equal(0, await top.EndAsync());
        string all = string.Join('\n', top.Lines);
        Assert.Contains("\u001b[?1049h", all, StringComparison.Ordinal);
        Assert.Contains("\u001b[?1049l", all, StringComparison.Ordinal);
        Assert.Contains("reader", all, StringComparison.Ordinal);
        Assert.Contains("SENT/s", all, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Tables_fit_the_height_of_a_terminal()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/script"), "a terminal is made by script (util-linux)");
        string cluster = ToolRun.NewCluster();
        string[] groups = [.. Enumerable.Range(0, 31).Select(static number => $"group-{number:00}")];
        await using ToolRun sub = ToolRun.Start(["sub", .. groups, "-c", cluster, "--json"]);
        await sub.UntilAsync(
            () => groups.Length
                <= sub.Lines.Count(static line => line.Contains("\"joined\"", StringComparison.Ordinal)),
            "it is in all groups");
        await using ToolRun table = ToolRun.InTerminal("groups", "-c", cluster);
        Assert.Equal(0, await table.EndAsync());
        // The terminal has 30 lines, of which the last is left for the prompt.
        Assert.Equal(29, table.Lines.Count);
        Assert.StartsWith("... and 4 more", table.Lines[^1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_ping_is_answered()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun answers = ToolRun.Start("ping", "--answer", "-c", cluster, "--name", "there", "--json");
        await answers.ItemAsync("joined");
        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(
            "ping", "-c", cluster, "--count", "3", "--interval", "0.3", "--json");
        Assert.True(code == 0, all);
        JsonElement summary = ToolRun.Parse(lines[^1]);
        Assert.Equal("there", summary.GetProperty("node").GetString());
        Assert.True(summary.GetProperty("answers").GetInt32() >= 1);
        Assert.Equal(0, await answers.InterruptAsync());
    }

    [Fact]
    public async Task A_bench_tells_a_rate()
    {
        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(
            "bench", "--seconds", "0.5", "--receivers", "2", "--json", "--timeout", "50", "-c", ToolRun.NewCluster());
        Assert.True(code == 0, all);
        JsonElement item = ToolRun.Parse(Assert.Single(lines));
        Assert.True(item.GetProperty("rate").GetDouble() > 0);
        Assert.Equal(2, item.GetProperty("receivers").GetInt32());

        string cluster = ToolRun.NewCluster();
        await using ToolRun receiver = ToolRun.Start("bench", "--receive", "-c", cluster, "--json");
        await receiver.ItemAsync("joined");
        (code, _, all) = await ToolRun.RunAsync("bench", "--send", "-c", cluster, "--seconds", "0.5");
        Assert.True(code == 0, all);
        Assert.True((await receiver.ItemAsync("received")).GetProperty("messages").GetInt64() > 0);
    }

    private static double RateOf(string line, string node)
    {
        foreach (JsonElement one in ToolRun.Parse(line).GetProperty("nodes").EnumerateArray())
        {
            if (one.GetProperty("node").GetString() == node)
                return one.GetProperty("sentRate").GetDouble();
        }
        return 0;
    }
}
