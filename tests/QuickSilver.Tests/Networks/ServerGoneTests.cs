using System.Globalization;

namespace QuickSilver.Tests.Networks;

/// <summary>The machine that serves the membership dies for good, or serves others before its own node.</summary>
[Trait("needs", "nodes")]
public sealed class ServerGoneTests
{
    private const string Group = "group";
    private const int More = 5_000;

    [Fact]
    public async Task A_sender_at_its_limit_is_told_and_goes_on_with_a_server_that_a_changed_list_names()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        await using NetworkNode server = await network.StartHostAsync(
            0, "server", "Membership:FailureTimeout=00:00:04");
        await using NetworkNode sender = await network.StartClientAsync(
            1, "sender", "Pending:MaxMessagesPerRegion=2000", "Pending:NoServerTimeout=00:00:03");
        await using NetworkNode reader = await network.StartClientAsync(2, "reader");
        NetworkNode[] nodes = [server, sender, reader];
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");
        await sender.AskAsync($"send {Group} 100 1000 1000", $"sent {Group}");
        await reader.WaitForCountAsync(Group, 100);

        server.Kill();
        await sender.TellAsync($"send {Group} 1000000 1000 2500");
        string accepted = await sender.WaitForAsync($"accepted {Group} ");
        string told = await sender.WaitForAsync("failed send SendHeldUpException SendHeldUp");
        Assert.Contains("server", told, StringComparison.Ordinal);
        Assert.Contains("no membership server", told, StringComparison.Ordinal);
        await sender.WaitForAsync("log Error 1334");

        await using NetworkNode other = await NetworkNode.StartAsync(
            network, 3, "other", ["Membership:Mode=Host", "Membership:FailureTimeout=00:00:04"]);
        foreach (NetworkNode node in (NetworkNode[])[sender, reader])
            await node.AskAsync("servers 10.77.0.4:14999", "servers changed");
        await sender.WaitForAsync("log Information 1335");
        await sender.AskAsync($"send {Group} {More} 1000 0", $"sent {Group} {More}");
        long all = 100 + More + long.Parse(accepted.Split(' ')[2], CultureInfo.InvariantCulture);
        await reader.WaitForCountAsync(Group, all);
        await sender.AskAsync($"confirm {Group}", $"confirmed {Group} 2");
        await reader.WaitForCountAsync(Group, all + 1);
        Assert.Equal(all + 1, await reader.CountAsync(Group));
        Assert.Equal(0, (await reader.StatisticsAsync()).MessagesLost);
        Assert.Single(sender.Lines, static line => line.StartsWith("log Error 1334", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_host_whose_own_node_is_kept_out_goes_on_serving_and_its_start_ends_when_it_is_let_in()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 2);
        network.Nft(
            0,
            "add table ip t; add chain ip t in { type filter hook input priority 0; }; "
            + "add rule ip t in iif lo tcp dport 14999 drop");
        await using NetworkNode client = NetworkNode.Launch(
            network, 1, "client", ["Membership:Mode=Client", "Membership:Servers:0=10.77.0.1:14999"]);
        await client.TellAsync("start");
        await using NetworkNode host = NetworkNode.Launch(
            network, 0, "host", ["Membership:Mode=Host", "Membership:JoinTimeout=00:00:08"]);
        await host.TellAsync("start");
        await client.WaitForAsync("started ");
        await host.WaitForAsync("log Warning 1137", "start");
        await client.AskAsync($"join {Group}", $"joined {Group}");
        network.Nft(0, "delete table ip t");
        await host.WaitForAsync("started ");
        await host.AskAsync($"join {Group}", $"joined {Group}");
        Assert.DoesNotContain(client.Lines, static line => line.StartsWith("ended ", StringComparison.Ordinal));
    }
}
