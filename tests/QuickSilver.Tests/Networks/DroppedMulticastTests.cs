using System.Diagnostics;

namespace QuickSilver.Tests.Networks;

/// <summary>A firewall drops the multicast to one host, and nothing else.</summary>
[Trait("needs", "nodes")]
public sealed class DroppedMulticastTests
{
    private const string Group = "group";
    private const int Messages = 3_000;

    [Fact]
    public async Task A_host_that_multicast_does_not_reach_is_named_with_the_sender_and_gets_everything()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode sender = await network.StartClientAsync(1, "sender");
        await using NetworkNode deaf = await network.StartClientAsync(2, "deaf");
        await using NetworkNode other = await network.StartClientAsync(3, "other");
        NetworkNode[] receivers = [server, deaf, other];
        foreach (NetworkNode node in (NetworkNode[])[sender, .. receivers])
            await node.AskAsync($"join {Group}", $"joined {Group}");
        await sender.AskAsync($"send {Group} 200 500 1000", $"sent {Group}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, 200);

        network.Nft(2, "add table ip t; "
            + "add chain ip t in { type filter hook prerouting priority -300; }; "
            + "add rule ip t in ip daddr 224.0.0.0/4 drop");
        long start = Stopwatch.GetTimestamp();
        await sender.TellAsync($"send {Group} {Messages} 500 600");
        string said = await sender.WaitForAsync("log Warning 1210", "deaf");
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"named after {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s");
        Assert.Contains("sender", said, StringComparison.Ordinal);
        await deaf.WaitForAsync("log Warning 1213", "sender");

        await sender.WaitForAsync($"sent {Group} {Messages}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, 200 + Messages);
        Assert.Equal(1, (await sender.StatisticsAsync()).MembersToUnicast);
        Assert.DoesNotContain(other.Lines, static line => line.StartsWith("log Warning 121", StringComparison.Ordinal));
    }
}
