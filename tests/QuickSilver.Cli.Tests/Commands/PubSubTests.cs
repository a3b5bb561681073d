using System.Text.Json;

namespace QuickSilver.Cli.Tests.Commands;

[Trait("needs", "nodes")]
public sealed class PubSubTests
{
    [Fact]
    public async Task Lines_of_the_input_arrive()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun sub = ToolRun.Start("sub", "news", "sport", "-c", cluster, "--name", "reader", "--json");
        await sub.ItemAsync("joined");
        await using ToolRun pub = ToolRun.Start("pub", "news", "-c", cluster, "--name", "writer", "--count", "2");
        await pub.TellAsync("first");
        await pub.TellAsync("second \u001b[31m");
        Assert.Equal(0, await pub.EndAsync());
        Assert.Contains(pub.Lines, static line => line == "2 messages sent to 1 members");
        await sub.UntilAsync(() => Messages(sub).Length == 2, "two messages");
        JsonElement[] messages = Messages(sub);
        Assert.Equal("news", messages[0].GetProperty("group").GetString());
        Assert.Equal("writer", messages[0].GetProperty("sender").GetString());
        Assert.Equal("first", messages[0].GetProperty("text").GetString());
        Assert.Equal("second \u001b[31m", messages[1].GetProperty("text").GetString());
        Assert.Equal(0, await sub.InterruptAsync());
    }

    [Fact]
    public async Task A_text_is_sent_so_often_and_shown_without_control_characters()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun sub = ToolRun.Start("sub", "news", "-c", cluster, "--count", "3");
        await sub.UntilAsync(() => sub.All.Contains("is in news", StringComparison.Ordinal), "it is in the group");
        (int code, _, string all) = await ToolRun.RunAsync(
            "pub", "news", "-c", cluster, "--name", "writer", "--text", "a\u001b]0;b\u0007", "--count", "3",
            "--rate", "100");
        Assert.True(code == 0, all);
        Assert.Equal(0, await sub.EndAsync());
        Assert.Equal(Enumerable.Repeat("writer: a\\u{1b}]0;b\\u{7}", 3), sub.Lines);
    }

    [Fact]
    public async Task A_group_is_entered_in_its_own_mode()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun first = ToolRun.Start("sub", "g", "-c", cluster, "--mode", "ordered", "--count", "1");
        await first.UntilAsync(() => first.All.Contains("(ordered)", StringComparison.Ordinal), "it is in the group");
        await using ToolRun second = ToolRun.Start("sub", "g", "-c", cluster, "--json");
        Assert.Equal("ordered", (await second.ItemAsync("joined")).GetProperty("mode").GetString());
        (int code, _, string all) = await ToolRun.RunAsync("pub", "g", "-c", cluster, "--text", "x", "--wait", "2");
        Assert.True(code == 0, all);
        Assert.Equal(0, await first.EndAsync());
        (code, _, all) = await ToolRun.RunAsync("pub", "g", "-c", cluster, "--text", "x", "--mode", "timed");
        Assert.True(code == 2, all);
    }

    [Fact]
    public async Task Without_a_member_a_publisher_ends_with_2()
    {
        (int code, _, string all) = await ToolRun.RunAsync(
            "pub", "lonely", "-c", ToolRun.NewCluster(), "--text", "x", "--timeout", "15");
        Assert.True(code == 2, $"{code}: {all}");
        Assert.Contains("--timeout", all, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interrupted_reader_leaves_at_once()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun stays = ToolRun.Start("sub", "g", "-c", cluster, "--json");
        await stays.ItemAsync("joined");
        await using ToolRun goes = ToolRun.Start("sub", "g", "-c", cluster, "--name", "goes", "--json");
        await goes.ItemAsync("joined");
        Assert.Equal(0, await goes.InterruptAsync());
        await stays.UntilAsync(() => Told(stays, "\"left\":[\"goes\"]"), "it has left");
        Assert.Equal(0, await stays.InterruptAsync());
    }

    [Fact]
    public async Task A_reader_behind_a_pipe_that_is_closed_leaves_and_ends_with_0()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the pipe is made by bash");
        string cluster = ToolRun.NewCluster();
        await using ToolRun stays = ToolRun.Start("sub", "g", "-c", cluster, "--json");
        await stays.ItemAsync("joined");
        await using ToolRun goes = ToolRun.Start(
            ["bash", "-c", "\"$@\" | head -1; exit ${PIPESTATUS[0]}", "-"],
            ["sub", "g", "-c", cluster, "--name", "goes"]);
        await stays.UntilAsync(() => Told(stays, "\"joined\":[\"goes\"]"), "it has come");
        // The first message ends head, and one of those after it tells the reader.
        await using ToolRun pub = ToolRun.Start(
            "pub", "g", "-c", cluster, "--text", "x", "--count", "100000", "--rate", "50");
        Assert.Equal(0, await goes.EndAsync());
        Assert.Single(goes.Lines);
        await stays.UntilAsync(() => Told(stays, "\"left\":[\"goes\"]"), "it has left");
        Assert.Equal(0, await pub.InterruptAsync());
        Assert.Equal(0, await stays.InterruptAsync());
    }

    private static bool Told(ToolRun run, string what) =>
        run.Lines.Any(line => line.Contains(what, StringComparison.Ordinal));

    private static JsonElement[] Messages(ToolRun run) =>
    [
        .. run.Lines.Where(static line => line.StartsWith("{\"type\":\"message\"", StringComparison.Ordinal))
            .Select(ToolRun.Parse),
    ];
}
