using System.Globalization;
using System.Text.Json;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Cli.Tests.Commands;

[Trait("needs", "nodes")]
public sealed class MembershipTests
{
    [Fact]
    public async Task A_server_is_run_and_asked_and_ends_in_order()
    {
        using var folder = new TestFolder();
        string key = folder["key"];
        Assert.Equal(0, (await ToolRun.RunAsync("key", "new", key)).Code);
        var state = new Dictionary<string, string> { ["XDG_STATE_HOME"] = folder["s"] };
        Directory.CreateDirectory(folder["s"]);
        string port = FreePort.Find().ToString(CultureInfo.InvariantCulture);
        string[] common = ["--cluster", ToolRun.NewCluster(), "--key-file", key, "--json"];
        await using ToolRun server = ToolRun.Start(
            [],
            ["membership", "run", "--port", port, "--interface", "127.0.0.1", "--name", "server", .. common], state);
        JsonElement serving = await server.ItemAsync("membership");
        Assert.True(serving.GetProperty("serves").GetBoolean());
        Assert.EndsWith($":{port}", serving.GetProperty("address").GetString(), StringComparison.Ordinal);

        // By its socket on this machine, and by joining.
        await using ToolRun local = ToolRun.Start([], ["membership", "status", "--port", port, .. common], state);
        Assert.Equal(0, await local.EndAsync());
        Assert.Equal("server", (await local.ItemAsync("membership")).GetProperty("node").GetString());
        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(
            ["membership", "status", "--server", $"127.0.0.1:{port}", "--interface", "127.0.0.1", .. common]);
        Assert.True(code == 0, all);
        Assert.False(ToolRun.Parse(lines[0]).GetProperty("serves").GetBoolean());

        await using ToolRun forget = ToolRun.Start([], ["membership", "forget", "nobody", "--port", port], state);
        Assert.Equal(2, await forget.EndAsync());
        Assert.Contains("No member named 'nobody'", forget.All, StringComparison.Ordinal);

        Assert.Equal(0, await server.InterruptAsync());
        Assert.Empty(Directory.GetFiles(folder["s"], "*.socket", SearchOption.AllDirectories));
        await using ToolRun late = ToolRun.Start([], ["membership", "forget", "nobody", "--port", port], state);
        Assert.Equal(3, await late.EndAsync());
    }

    [Fact]
    public async Task Two_servers_of_a_user_at_one_port_are_told_apart_by_their_clusters()
    {
        Assert.SkipUnless(NamespaceSet.CanMake, "networks are made of namespaces, by root on Linux with iproute2");
        using var networks = new NamespaceSet();
        string[] hosts = [networks.Add("a"), networks.Add("b")];
        networks.Apply();
        using var folder = new TestFolder();
        Directory.CreateDirectory(folder["s"]);
        var state = new Dictionary<string, string> { ["XDG_STATE_HOME"] = folder["s"] };
        string port = FreePort.Find().ToString(CultureInfo.InvariantCulture);
        await using ToolRun one = await ServeAsync("one", hosts[0]);
        await using ToolRun two = await ServeAsync("two", hosts[1]);
        await using ToolRun status = ToolRun.Start([], ["membership", "status", "--port", port, "--json"], state);
        Assert.Equal(0, await status.EndAsync());
        Assert.Equal(
            ["one", "two"],
            status.Lines.Select(static line => ToolRun.Parse(line).GetProperty("node").GetString()).Order());
        await using ToolRun either = ToolRun.Start([], ["membership", "forget", "nobody", "--port", port], state);
        Assert.Equal(2, await either.EndAsync());
        Assert.Contains("--cluster", either.All, StringComparison.Ordinal);
        await using ToolRun second = ToolRun.Start(
            [], ["membership", "forget", "nobody", "--port", port, "--cluster", "cluster two"], state);
        Assert.Equal(2, await second.EndAsync());
        Assert.Contains("No member named 'nobody'", second.All, StringComparison.Ordinal);

        async Task<ToolRun> ServeAsync(string name, string host)
        {
            ToolRun server = ToolRun.Start(
                NamespaceSet.PrefixOf(host),
                [
                    "membership", "run", "--port", port, "--interface", "127.0.0.1", "--insecure",
                    "--name", name, "--cluster", $"cluster {name}", "--json",
                ],
                state);
            await server.ItemAsync("membership");
            return server;
        }
    }

    [Fact]
    public async Task Another_key_is_told_as_that()
    {
        using var folder = new TestFolder();
        foreach (string name in (string[])["key", "other"])
            Assert.Equal(0, (await ToolRun.RunAsync("key", "new", folder[name])).Code);
        string cluster = ToolRun.NewCluster();
        string port = FreePort.Find().ToString(CultureInfo.InvariantCulture);
        await using ToolRun server = ToolRun.Start(
            "membership", "run", "--port", port, "--interface", "127.0.0.1", "--cluster", cluster,
            "--key-file", folder["key"], "--json");
        await server.ItemAsync("membership");
        (int code, _, string all) = await ToolRun.RunAsync(
            "sub", "g", "--server", $"127.0.0.1:{port}",
            "--interface", "127.0.0.1", "--cluster", cluster, "--key-file", folder["other"]);
        Assert.True(code == 2, $"{code}: {all}");
        Assert.Contains("do not trust each other", all, StringComparison.Ordinal);
    }
}
