using QuickSilver.Bench.Processes;
using QuickSilver.Scenarios.Lab;

namespace QuickSilver.Tests.Networks;

/// <summary>The samples find each other on two hosts, told no more than the server's address.</summary>
[Collection(NetworkCollection.Name)]
public sealed class SamplesOnTwoHostsTests
{
    [Theory]
    [InlineData("Subscriber", "Publisher")]
    [InlineData("Publisher", "Subscriber")]
    public async Task A_publisher_and_a_subscriber_meet_on_two_hosts(string hosting, string visiting)
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2);
        await using ChildProcess host = Start(network, 0, hosting, "--host");
        await using ChildProcess client = Start(network, 1, visiting, "--server", NetworkNamespaces.AddressOf(0));
        foreach (ChildProcess program in (ChildProcess[])[host, client])
        {
            int code = await program.Exit.WaitAsync(NetworkNode.Patience, TestContext.Current.CancellationToken);
            Assert.True(
                code == 0,
                $"{program.Name} ended with {code}: {host.LastLines}{Environment.NewLine}{client.LastLines}");
        }
        Assert.Contains("(1,000 in all)", host.LastLines + client.LastLines, StringComparison.Ordinal);
    }

    private static ChildProcess Start(NetworkNamespaces network, int host, string program, params string[] arguments) =>
        ChildProcess.Start(program, [.. NamespaceSet.PrefixOf(network.NameOf(host)),
            .. ChildProcess.CommandOf(
                Path.Combine(AppContext.BaseDirectory, program + ".dll"), ["--count", "1000", .. arguments])]);
}
