namespace QuickSilver.Tests.Networks;

/// <summary>Ways that drop datagrams by their length, on hosts with cards of their own: nothing but the kernels and a
/// firewall is in between.</summary>
[Trait("needs", "nodes")]
public sealed class NarrowPathTests
{
    private const string Group = "group";
    private const int Messages = 4_000;

    // Cut into datagrams before they leave, as a card on a wire would have them.
    private const string AsOnAWire = "link set eth0 gso_max_segs 1";

    [Fact]
    public async Task A_member_whose_path_drops_long_datagrams_is_named_and_gets_everything()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        for (int host = 0; host < 4; host++) network.Ip(host, AsOnAWire);
        network.Nft(2, "add table ip t; add chain ip t in { type filter hook prerouting priority -300; }; "
            + "add rule ip t in meta l4proto udp meta length > 1300 drop");
        await using NetworkNode server = await network.StartHostAsync(0, "server");
        await using NetworkNode sender = await network.StartClientAsync(1, "sender");
        await using NetworkNode narrow = await network.StartClientAsync(2, "narrow");
        await using NetworkNode other = await network.StartClientAsync(3, "other");
        NetworkNode[] receivers = [server, narrow, other];
        foreach (NetworkNode node in (NetworkNode[])[sender, .. receivers])
            await node.AskAsync($"join {Group}", $"joined {Group}");

        await sender.TellAsync($"send {Group} {Messages} 1000 2000");
        string said = await sender.WaitForAsync("log Warning 1220", "narrow");
        Assert.Contains("1208", said, StringComparison.Ordinal);
        await narrow.WaitForAsync("log Warning 1222", "sender");
        await sender.WaitForAsync($"sent {Group}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, Messages);

        // From now on packets fit.
        long missed = (await narrow.StatisticsAsync()).PacketsMissed;
        NodeStatistics before = await sender.StatisticsAsync();
        Assert.Equal(1_208, before.DatagramBytes);
        await sender.AskAsync($"send {Group} {Messages} 1000 2000", $"sent {Group}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, 2 * Messages);
        NodeStatistics after = await narrow.StatisticsAsync();
        long packets = (await sender.StatisticsAsync()).PacketsSent - before.PacketsSent;
        Assert.InRange(after.PacketsMissed - missed, 0, packets / 10);
        Assert.Equal(0, after.MessagesLost);
        foreach (NetworkNode node in receivers)
        {
            foreach (string line in node.Lines.Where(
                static line => line.StartsWith("received", StringComparison.Ordinal)).TakeLast(3))
                TestContext.Current.TestOutputHelper?.WriteLine($"{node.Name}: {line}");
        }
    }

    [Fact]
    public async Task Hosts_with_jumbo_frames_and_hosts_without_exchange_messages_without_loss()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        network.RunAtSwitch(0, "ip link set port0 mtu 9000; ip link set port1 mtu 9000");
        for (int host = 0; host < 2; host++) network.Ip(host, "link set eth0 mtu 9000");
        for (int host = 0; host < 4; host++) network.Ip(host, AsOnAWire);
        const string Long = "Transport:MaxDatagramBytes=8972";
        await using NetworkNode server = await network.StartHostAsync(0, "server", Long);
        await using NetworkNode jumbo = await network.StartClientAsync(1, "jumbo", Long);
        await using NetworkNode usual = await network.StartClientAsync(2, "usual", Long);
        await using NetworkNode other = await network.StartClientAsync(3, "other", Long);
        NetworkNode[] nodes = [server, jumbo, usual, other];
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");

        await jumbo.AskAsync($"send {Group} {Messages} 1000 2000", $"sent {Group}");
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync(Group, Messages);
        Assert.Equal(1_428, (await jumbo.StatisticsAsync()).DatagramBytes);
        Assert.DoesNotContain(jumbo.Lines, static line => line.Contains(" 1220 ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_switch_that_takes_no_jumbo_frames_between_hosts_that_do_is_found()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 3);
        network.RunAtSwitch(0, "ip link set port0 mtu 9000; ip link set port1 mtu 9000");
        for (int host = 0; host < 3; host++)
        {
            network.Ip(host, "link set eth0 mtu 9000");
            network.Ip(host, AsOnAWire);
        }
        const string Long = "Transport:MaxDatagramBytes=8972";
        await using NetworkNode server = await network.StartHostAsync(0, "server", Long);
        await using NetworkNode sender = await network.StartClientAsync(1, "sender", Long);
        await using NetworkNode behind = await network.StartClientAsync(2, "behind", Long);
        NetworkNode[] nodes = [server, sender, behind];
        foreach (NetworkNode node in nodes) await node.AskAsync($"join {Group}", $"joined {Group}");

        await sender.TellAsync($"send {Group} {Messages} 5000 2000");
        string said = await sender.WaitForAsync("log Warning 1220", "behind");
        Assert.Contains("1428", said, StringComparison.Ordinal);
        foreach (NetworkNode node in nodes) await node.WaitForCountAsync(Group, Messages);
    }
}
