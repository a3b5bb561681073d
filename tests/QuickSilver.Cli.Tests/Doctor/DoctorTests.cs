using System.Text.Json;
using QuickSilver.Bench.Lab;

namespace QuickSilver.Cli.Tests.Doctor;

/// <summary>Six troubles, planted for real. Those of a network are in namespaces, which only root may make.</summary>
[Trait("needs", "nodes")]
public sealed class DoctorTests
{
    [Fact]
    public async Task A_machine_in_order_has_no_trouble_but_its_buffers()
    {
        string cluster = ToolRun.NewCluster();
        await using ToolRun answers = ToolRun.Start("doctor", "--answer", "-c", cluster, "-v");
        await answers.UntilAsync(
            () => answers.All.Contains("answers doctors", StringComparison.Ordinal), "it answers");
        (_, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync("doctor", "-c", cluster, "--json");
        string[] troubles = [.. Troubles(lines).Select(static one => one.GetProperty("check").GetString()!)];
        Assert.True(troubles.All(static one => one is "buffers"), all);
        Assert.Contains(lines, static line => line.Contains("\"peers\":1", StringComparison.Ordinal));
        Assert.Equal(0, await answers.InterruptAsync());
    }

    [Fact]
    public async Task Small_buffers_are_found()
    {
        using var folder = new TestFolder();
        await File.WriteAllTextAsync(
            folder["big.json"], """{ "QuickSilver": { "Transport": { "ReceiveBufferBytes": 1073741824 } } }""");
        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(
            "doctor", "-c", ToolRun.NewCluster(), "--settings", folder["big.json"], "--seconds", "1", "--json");
        Assert.True(code == 4, all);
        AssertTrouble(lines, "buffers", "net.core.rmem_max=1073741824");
    }

    [Fact]
    public async Task Missing_shared_memory_is_found()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "memory is shared on Linux");
        // A small limit of files; with write-xor-execute the runtime makes a file in memory itself, and does not start.
        await using ToolRun run = ToolRun.Start(
            ["bash", "-c", "ulimit -f 5000 && exec \"$@\"", "-"],
            ["doctor", "-c", ToolRun.NewCluster(), "--seconds", "1", "--json"],
            new Dictionary<string, string> { ["DOTNET_EnableWriteXorExecute"] = "0" });
        int code = await run.EndAsync();
        Assert.True(code == 4, run.All);
        IReadOnlyList<string> lines = run.Lines;
        AssertTrouble(lines, "shared memory", "ulimit -f");
    }

    [Fact]
    public async Task A_key_that_differs_is_found()
    {
        using var network = new DoctorNetwork(hosts: 2);
        using var folder = new TestFolder();
        foreach (string name in (string[])["key", "other"])
            Assert.Equal(0, (await ToolRun.RunAsync("key", "new", folder[name])).Code);
        await using ToolRun server = await network.ServeAsync(0, "--key-file", folder["key"]);
        IReadOnlyList<string> lines = await network.ExamineAsync(
            1, "--server", "10.77.0.1", "--key-file", folder["other"], "--seconds", "1");
        AssertTrouble(lines, "key", "qs-");
    }

    [Fact]
    public async Task Two_hosts_of_one_name_are_found()
    {
        using var network = new DoctorNetwork(hosts: 3);
        await using ToolRun one = await network.ServeAsync(0, "--insecure");
        await using ToolRun two = await network.ServeAsync(1, "--insecure");
        IReadOnlyList<string> lines = await network.ExamineAsync(
            2, "--server", "10.77.0.1", "--server", "10.77.0.2", "--insecure", "--seconds", "1");
        AssertTrouble(lines, "other clusters", "stop one of them");
    }

    [Fact]
    public async Task A_host_of_the_same_name_that_announces_itself_is_found_without_its_address()
    {
        using var network = new DoctorNetwork(hosts: 3);
        using var folder = new TestFolder();
        foreach (string name in (string[])["key", "other"])
            Assert.Equal(0, (await ToolRun.RunAsync("key", "new", folder[name])).Code);
        await using ToolRun one = await network.ServeAsync(0, "--key-file", folder["key"], "--announce");
        await using ToolRun two = await network.ServeAsync(1, "--key-file", folder["other"], "--announce");
        IReadOnlyList<string> lines = await network.ExamineAsync(
            2, "--server", "10.77.0.1", "--key-file", folder["key"], "--seconds", "4");
        AssertTrouble(lines, "other clusters", "another key");
    }

    [Fact]
    public async Task Multicast_that_a_switch_blocks_is_found()
    {
        using var network = new DoctorNetwork(hosts: 2);
        await using ToolRun server = await network.ServeAsync(0, "--insecure");
        await using ToolRun answers = await network.AnswerAsync(0, "--server", "10.77.0.1", "--insecure");
        network.RunAtSwitch("nft", "-f", "-", "add table bridge t; "
            + "add chain bridge t f { type filter hook forward priority 0; }; "
            + "add rule bridge t f ip daddr 224.0.0.0/4 drop");
        IReadOnlyList<string> lines = await network.ExamineAsync(
            1, "--server", "10.77.0.1", "--insecure", "--seconds", "12");
        AssertTrouble(lines, "multicast", "snooping");
    }

    [Fact]
    public async Task A_wrong_MTU_is_found()
    {
        using var network = new DoctorNetwork(hosts: 2);
        await using ToolRun server = await network.ServeAsync(0, "--insecure");
        await using ToolRun answers = await network.AnswerAsync(0, "--server", "10.77.0.1", "--insecure");
        network.Run(1, "nft", "-f", "-", "add table ip t; "
            + "add chain ip t in { type filter hook prerouting priority -300; }; "
            + "add rule ip t in meta l4proto udp meta length > 1300 drop");
        IReadOnlyList<string> lines = await network.ExamineAsync(
            1, "--server", "10.77.0.1", "--insecure", "--seconds", "12");
        AssertTrouble(lines, "mtu", "MTU");
    }

    private static void AssertTrouble(IReadOnlyList<string> lines, string check, string remedy) =>
        Assert.True(
            Troubles(lines).Any(one => one.GetProperty("check").GetString() == check
                && one.GetProperty("remedy").GetString()!.Contains(remedy, StringComparison.Ordinal)),
            string.Join(Environment.NewLine, lines));

    private static IEnumerable<JsonElement> Troubles(IReadOnlyList<string> lines) => lines.Select(ToolRun.Parse)
        .Where(static one => one.TryGetProperty("severity", out JsonElement severity)
            && severity.GetString() == "Trouble");

    // Hosts on one switch; the first one serves.
    private sealed class DoctorNetwork : IDisposable
    {
        private readonly NamespaceSet _set = new();
        private readonly string[] _hosts;
        private readonly string _hub;

        public DoctorNetwork(int hosts)
        {
            Assert.SkipUnless(NamespaceSet.CanMake, "networks are made of namespaces, by root on Linux with iproute2");
            Assert.SkipUnless(NamespaceSet.HasTool("nft"), "firewalls of namespaces are made with nftables");
            _hub = _set.Add("s");
            _set.AddBridge(_hub, "br0");
            _hosts = [.. Enumerable.Range(0, hosts).Select(index => _set.Add($"h{index}"))];
            for (int host = 0; host < hosts; host++)
            {
                _set.Attach(_hosts[host], "eth0", $"10.77.0.{host + 1}/24", _hub, "br0", $"port{host}");
                _set.Line($"ip -n {_hosts[host]} route add 224.0.0.0/4 dev eth0");
                // Cut into datagrams before they leave, as a card on a wire has them.
                _set.Line($"ip -n {_hosts[host]} link set eth0 gso_max_segs 1");
            }
            _set.Apply();
        }

        public void Run(int host, params string[] command) => RunIn(_hosts[host], command);

        public void RunAtSwitch(params string[] command) => RunIn(_hub, command);

        public async Task<ToolRun> ServeAsync(int host, params string[] options)
        {
            ToolRun server = Start(host, ["membership", "run", "--interface", "10.77.0.0/24", "--json", .. options]);
            await server.ItemAsync("membership");
            return server;
        }

        public async Task<ToolRun> AnswerAsync(int host, params string[] options)
        {
            ToolRun answers = Start(host, ["doctor", "--answer", "--json", "--name", "there", .. options]);
            await answers.ItemAsync("answering");
            return answers;
        }

        public async Task<IReadOnlyList<string>> ExamineAsync(int host, params string[] options)
        {
            await using ToolRun run = Start(host, ["doctor", "--json", "--timeout", "20", .. options]);
            int code = await run.EndAsync();
            Assert.True(code == 4, $"{code}: {run.All}");
            return run.Lines;
        }

        public void Dispose() => _set.Dispose();

        // The last word is the input.
        private static void RunIn(string name, string[] command) =>
            NamespaceSet.Run([.. NamespaceSet.PrefixOf(name), .. command[..^1]], command[^1] + "\n");

        private ToolRun Start(int host, string[] arguments) =>
            ToolRun.Start(NamespaceSet.PrefixOf(_hosts[host]), arguments);
    }
}
