using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Repository;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Networks;

/// <summary>The samples find each other on two hosts, told no more than the server's address.</summary>
[Trait("needs", "nodes")]
public sealed class SamplesOnTwoHostsTests
{
    [Theory]
    [InlineData("Subscriber", "Publisher", false)]
    [InlineData("Publisher", "Subscriber", false)]
    [InlineData("Subscriber", "Publisher", true)]
    [InlineData("Publisher", "Subscriber", true)]
    public async Task A_publisher_and_a_subscriber_meet_on_two_hosts(string hosting, string visiting, bool isIPv6)
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2, isIPv4: _ => !isIPv6, isIPv6: _ => isIPv6);
        string place = isIPv6 ? $"[{NetworkNamespaces.IPv6AddressOf(0)}]" : NetworkNamespaces.AddressOf(0);
        using var folder = new TestFolder();
        string key = KeyIn(folder);
        await using ChildProcess host = Start(network, 0, hosting, "--host", "--key-file", key);
        await using ChildProcess client = Start(
            network, 1, visiting, "--server", place, "--key-file", key);
        foreach (ChildProcess program in (ChildProcess[])[host, client])
        {
            int code = await program.Exit.WaitAsync(NetworkNode.Patience, TestContext.Current.CancellationToken);
            Assert.True(
                code == 0,
                $"{program.Name} ended with {code}: {host.LastLines}{Environment.NewLine}{client.LastLines}");
        }
        Assert.Contains("(1,000 in all)", host.LastLines + client.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_workers_meet_by_the_commands_of_the_page()
    {
        using var folder = new TestFolder();
        string key = KeyIn(folder);
        string[][] commands = [.. File.ReadLines(SourceTree.PathOf("docs/two-machines.md"))
            .Where(static line => line.StartsWith("dotnet run", StringComparison.Ordinal))
            .Select(line => line.Split(" -- ")[1].Replace("10.0.0.5", NetworkNamespaces.AddressOf(0),
                StringComparison.Ordinal).Replace("cluster.key", key, StringComparison.Ordinal).Split(' '))];
        Assert.Equal(2, commands.Length);
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2);
        await using ChildProcess host = StartWorker(network, 0, [.. commands[0], "--QuickSilver:NodeName=one"]);
        await using ChildProcess client = StartWorker(network, 1, [.. commands[1], "--QuickSilver:NodeName=two"]);
        long start = Environment.TickCount64;
        while (!host.LastLines.Contains("two says hello", StringComparison.Ordinal)
            || !client.LastLines.Contains("one says hello", StringComparison.Ordinal))
        {
            Assert.True(
                Environment.TickCount64 - start < NetworkNode.Patience.TotalMilliseconds,
                $"{host.LastLines}{Environment.NewLine}{client.LastLines}");
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    private static string KeyIn(TestFolder folder)
    {
        string key = folder.File("cluster.key");
        PreSharedKey.CreateFile(key);
        return key;
    }

    private static ChildProcess StartWorker(NetworkNamespaces network, int host, string[] arguments) =>
        ChildProcess.Start("Worker", [.. NamespaceSet.PrefixOf(network.NameOf(host)),
            .. ChildProcess.CommandOf(Path.Combine(AppContext.BaseDirectory, "Worker.dll"), arguments)]);

    private static ChildProcess Start(NetworkNamespaces network, int host, string program, params string[] arguments) =>
        ChildProcess.Start(program, [.. NamespaceSet.PrefixOf(network.NameOf(host)),
            .. ChildProcess.CommandOf(
                Path.Combine(AppContext.BaseDirectory, program + ".dll"), ["--count", "1000", .. arguments])]);
}
