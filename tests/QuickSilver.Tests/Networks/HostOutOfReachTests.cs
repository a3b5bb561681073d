namespace QuickSilver.Tests.Networks;

/// <summary>The switch port of the host that serves the membership is down for several detector periods.</summary>
[Trait("needs", "nodes")]
public sealed class HostOutOfReachTests
{
    private const string Group = "group";
    private const string Quick = "Membership:FailureTimeout=00:00:05";
    private static readonly TimeSpan Down = TimeSpan.FromSeconds(13);

    [Fact]
    public async Task A_host_whose_port_is_down_removes_nobody_and_catches_up_while_the_others_go_on()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        await using NetworkNode server = await network.StartHostAsync(0, "server", Quick);
        await using NetworkNode sender = await network.StartClientAsync(1, "sender", Quick);
        await using NetworkNode one = await network.StartClientAsync(2, "one", Quick);
        await using NetworkNode other = await network.StartClientAsync(3, "other", Quick);
        NetworkNode[] nodes = [server, sender, one, other];
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");
        await sender.AskAsync($"send {Group} 200 500 1000", $"sent {Group}");
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync(Group, 200);

        network.SetCable(0, isIn: false);
        int messages = (int)(Down.TotalSeconds - 1) * 200;
        await sender.TellAsync($"send {Group} {messages} 500 200");
        await server.WaitForAsync("log Error 1121", "sender");
        foreach (NetworkNode node in (NetworkNode[])[one, other]) await node.WaitForCountAsync(Group, 200 + messages);
        Assert.Equal(200, await server.CountAsync(Group));
        await sender.WaitForAsync($"sent {Group} {messages}");
        network.SetCable(0, isIn: true);

        await server.WaitForCountAsync(Group, 200 + messages);
        await server.WaitForAsync("log Information 1122");
        Assert.Equal(0, (await server.StatisticsAsync()).MessagesLost);
        foreach (NetworkNode node in nodes)
        {
            string members = await node.AskAsync($"members {Group}", $"members {Group}");
            Assert.Equal(4, members.Split(' ').Length - 2);
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("ended ", StringComparison.Ordinal));
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("rejoined ", StringComparison.Ordinal));
        }
    }
}
