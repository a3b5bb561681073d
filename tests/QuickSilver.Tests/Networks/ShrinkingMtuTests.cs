namespace QuickSilver.Tests.Networks;

/// <summary>The MTU of a card shrinks from 1500 to 1280 bytes under traffic, as when a tunnel is put under a
/// network.</summary>
[Trait("needs", "nodes")]
public sealed class ShrinkingMtuTests
{
    private const string Group = "group";
    private const int Messages = 12_000;
    private const int Bytes = 1_000;
    private const int Rate = 2_000;
    private const int UsualDatagram = 1_328;
    private const int SafeDatagram = 1_208;

    // Cut into datagrams before they leave, as a card on a wire would have them.
    private const string AsOnAWire = "link set eth0 gso_max_segs 1";

    [Theory]
    [InlineData("Auto", 2)]
    [InlineData("Auto", 1, Explicit = true)]
    [InlineData("Auto", 0, 1, 2, 3)]
    [InlineData("Unicast", 1, Explicit = true)]
    public async Task Nothing_is_lost_and_datagrams_get_shorter(string kind, params int[] shrinkingHosts)
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: 4);
        for (int host = 0; host < 4; host++) network.Ip(host, AsOnAWire);
        string option = $"Transport:Kind={kind}";
        await using NetworkNode server = await network.StartHostAsync(0, "server", option);
        await using NetworkNode sender = await network.StartClientAsync(1, "sender", option);
        await using NetworkNode receiver = await network.StartClientAsync(2, "receiver", option);
        await using NetworkNode other = await network.StartClientAsync(3, "other", option);
        NetworkNode[] receivers = [server, receiver, other];
        foreach (NetworkNode node in (NetworkNode[])[sender, .. receivers])
            await node.AskAsync($"join {Group}", $"joined {Group}");
        await sender.TellAsync($"send {Group} {Messages} {Bytes} {Rate}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, Rate / 2);
        Assert.Equal(UsualDatagram, (await sender.StatisticsAsync()).DatagramBytes);

        foreach (int host in shrinkingHosts)
        {
            network.Ip(host, "link set eth0 mtu 1280");
            network.RunAtSwitch(0, $"ip link set port{host} mtu 1280");
        }
        await sender.WaitForAsync("log Warning 1220", $"{SafeDatagram}");
        await sender.WaitForAsync($"sent {Group} {Messages}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, Messages);
        NodeStatistics atSender = await sender.StatisticsAsync();
        Assert.Equal(SafeDatagram, atSender.DatagramBytes);

        await receiver.AskAsync($"send {Group} {Rate} {Bytes} {Rate}", $"sent {Group} {Rate}");
        foreach (NetworkNode node in receivers) await node.WaitForCountAsync(Group, Messages + Rate);
        foreach (NetworkNode node in (NetworkNode[])[sender, .. receivers])
        {
            Assert.Equal(0, (await node.StatisticsAsync()).MessagesLost);
            Assert.DoesNotContain(node.Lines, static line => line.StartsWith("rejoined ", StringComparison.Ordinal));
        }
    }
}
