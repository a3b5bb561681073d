using System.Net;
using System.Net.Sockets;
using System.Text;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.WideArea.Tests;

/// <summary>Sites whose links are by TCP, on sockets.</summary>
public sealed class TcpSiteTests
{
    [Fact]
    public async Task Groups_go_both_ways_in_order_and_once()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.UseTcp("berlin", "tokyo");
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        const int Count = 5000;
        await Task.WhenAll(SendAsync(berlin.Group, 0, Count), SendAsync(tokyo.Group, 0, Count));
        await SiteRig.UntilAsync(
            () => tokyo.Count >= Count && berlin.Count >= Count, () => $"{Count}: {tokyo.Count}, {berlin.Count}");
        Assert.Equal(Expected(Count), tokyo.Texts);
        Assert.Equal(Expected(Count), berlin.Texts);
        foreach (SiteGateway gateway in rig.Gateways.Values)
        {
            SiteGatewayStatistics now = gateway.GetStatistics();
            SiteLinkStatistics link = Assert.Single(now.Links);
            Assert.Equal((SiteLinkTransport.Tcp, SiteLinkState.Up), (link.Transport, link.State));
            // Nothing was lost, asked for or came twice.
            Assert.Equal((0L, 0L, 1L, 0L), (link.PacketsResent, link.PacketsDuplicated, link.Ups, link.Failures));
            Assert.Equal(
                (0L, 0L, 0L, 0L), (now.DatagramsDropped, now.Replays, now.RecordsLost, now.ConnectionsRefused));
        }
    }

    [Fact]
    public async Task Long_messages_come_whole()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.UseTcp("berlin", "tokyo");
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        int[] lengths = [0, 1, 1200, 5000, 200_000, 1_000_000, 7];
        foreach (int length in lengths) await berlin.Group.SendAsync(new byte[length].AsMemory());
        await SiteRig.UntilAsync(() => tokyo.Count == lengths.Length, () => $"{lengths.Length}: {tokyo.Count}");
        Assert.Equal(lengths, tokyo.Messages.Select(static message => message.Length));
    }

    [Fact]
    public async Task A_connection_that_is_cut_comes_back_and_nothing_is_lost()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        TcpRelay way = rig.UseTcp("berlin", "tokyo");
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        SiteGateway gateway = rig.Gateways["berlin"];
        int sent = 0;
        for (int cut = 0; cut < 3; cut++)
        {
            long ups = gateway.GetStatistics().Links[0].Ups;
            Task sending = Task.WhenAll(
                SendAsync(berlin.Group, sent, 1000), SendAsync(tokyo.Group, sent, 1000));
            way.Cut();
            await sending;
            sent += 1000;
            await SiteRig.UntilAsync(() => gateway.GetStatistics().Links[0].Ups > ups, () => "up again");
        }
        await SiteRig.UntilAsync(
            () => tokyo.Count >= sent && berlin.Count >= sent, () => $"{sent}: {tokyo.Count}, {berlin.Count}");
        Assert.Equal(Expected(sent), tokyo.Texts);
        Assert.Equal(Expected(sent), berlin.Texts);
        SiteGatewayStatistics now = gateway.GetStatistics();
        Assert.True(now.Links[0].Failures >= 3);
        Assert.Equal((0L, 0L), (now.RecordsLost, rig.Gateways["tokyo"].GetStatistics().RecordsLost));
    }

    [Fact]
    public async Task A_connection_that_stands_still_for_a_moment_goes_on_and_for_longer_is_given_up()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        TcpRelay way = rig.UseTcp("berlin", "tokyo");
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        SiteGateway gateway = rig.Gateways["berlin"];
        way.Hold();
        await SendAsync(berlin.Group, 0, 100);
        // A link by datagrams would have failed.
        await Task.Delay(TimeSpan.FromSeconds(1.6));
        way.Release();
        await SiteRig.UntilAsync(() => tokyo.Count == 100, () => $"100: {tokyo.Count}");
        Assert.Equal(0, gateway.GetStatistics().Links[0].Failures);
        way.Hold();
        await SendAsync(berlin.Group, 100, 100);
        await SiteRig.UntilAsync(
            () => gateway.GetStatistics().Links[0].Failures > 0, () => "the silence is seen");
        way.Release();
        await SiteRig.UntilAsync(() => tokyo.Count >= 200, () => $"200: {tokyo.Count}");
        Assert.Equal(Expected(200), tokyo.Texts);
    }

    [Theory]
    [InlineData("berlin")]
    [InlineData("tokyo")]
    public async Task One_end_that_can_call_the_other_is_enough(string caller)
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.UseTcp("berlin", "tokyo");
        rig.Change = options =>
        {
            if (options.Site != caller) options.Links[0].Address = null;
        };
        await rig.StartAsync();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await berlin.Group.SendAsync("hello tokyo");
        await tokyo.Group.SendAsync("hello berlin");
        await SiteRig.UntilAsync(() => tokyo.Count + berlin.Count == 2, () => "both");
    }

    [Fact]
    public async Task Sites_with_links_of_both_kinds_reach_each_other()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("berlin", "tokyo"));
        TcpRelay way = rig.UseTcp("berlin", "tokyo");
        await rig.StartAsync();
        SiteRig.Collected[] all = [await rig.JoinAsync("berlin"), await rig.JoinAsync("oslo"),
            await rig.JoinAsync("tokyo")];
        const int Count = 500;
        Task sending = Task.WhenAll(all.Select(static one => SendAsync(one.Group, 0, Count)));
        way.Cut();
        await sending;
        await SiteRig.UntilAsync(
            () => all.All(static one => one.Count >= 2 * Count), () => string.Join(' ', all.Select(one => one.Count)));
        Assert.All(all, static one => Assert.Equal(
            Expected(Count).SelectMany(static text => new[] { text, text }).Order(), one.Texts.Order()));
        Assert.Equal(
            [SiteLinkTransport.Udp, SiteLinkTransport.Tcp],
            rig.Gateways["berlin"].GetStatistics().Links.Select(static link => link.Transport));
    }

    [Theory]
    [InlineData(SiteLinkTransport.Udp)]
    [InlineData(SiteLinkTransport.Tcp)]
    public async Task Gateways_reach_each_other_by_IPv6(SiteLinkTransport transport)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "the system has no IPv6");
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.UseTcp("berlin", "tokyo");
        string[] places = [.. FreePorts().Select(static port => $"[::1]:{port}")];
        rig.Change = options =>
        {
            int own = options.Site == "berlin" ? 0 : 1;
            options.Listen = places[own];
            options.Links[0].Address = places[1 - own];
            options.Links[0].Transport = transport;
        };
        await rig.StartAsync();
        Assert.Equal(AddressFamily.InterNetworkV6, rig.Gateways["berlin"].LocalEndPoint.AddressFamily);
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await Task.WhenAll(SendAsync(berlin.Group, 0, 200), SendAsync(tokyo.Group, 0, 200));
        await SiteRig.UntilAsync(
            () => tokyo.Count >= 200 && berlin.Count >= 200, () => $"200: {tokyo.Count}, {berlin.Count}");
        Assert.Equal(Expected(200), tokyo.Texts);
        Assert.Equal(Expected(200), berlin.Texts);
        Assert.Equal(transport, rig.Gateways["tokyo"].GetStatistics().Links[0].Transport);

        static int[] FreePorts()
        {
            using var one = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
            using var two = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
            one.Bind(new IPEndPoint(IPAddress.IPv6Loopback, 0));
            two.Bind(new IPEndPoint(IPAddress.IPv6Loopback, 0));
            return [((IPEndPoint)one.LocalEndPoint!).Port, ((IPEndPoint)two.LocalEndPoint!).Port];
        }
    }

    [Fact]
    public async Task An_end_by_another_transport_is_refused()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        rig.UseTcp("berlin", "tokyo");
        var log = new RecordingLoggerFactory();
        SiteGatewayOptions berlin = rig.OptionsOf("berlin").UseLoggerFactory(log);
        await using SiteGateway byTcp = await SiteGateway.StartAsync(await rig.StartNodeAsync("berlin"), berlin);
        SiteGatewayOptions tokyo = rig.OptionsOf("tokyo");
        tokyo.Links[0].Transport = SiteLinkTransport.Udp;
        tokyo.Links[0].Address = byTcp.LocalEndPoint.ToString();
        await using SiteGateway byUdp = await SiteGateway.StartAsync(await rig.StartNodeAsync("tokyo"), tokyo);
        await SiteRig.UntilAsync(() => byTcp.GetStatistics().Links[0].Rejected > 5, () => "datagrams that are refused");
        Assert.Equal(SiteLinkState.Connecting, byTcp.GetStatistics().Links[0].State);
        Assert.NotEqual(SiteLinkState.Up, byUdp.GetStatistics().Links[0].State);
        await SiteRig.UntilAsync(() => log.Ids.Contains(1709), () => "what the log says of it");
    }

    private static async Task SendAsync(Group group, int from, int count)
    {
        for (int number = from; number < from + count; number++)
            await group.SendAsync(Encoding.UTF8.GetBytes($"message {number}").AsMemory());
    }

    private static string[] Expected(int count) =>
        [.. Enumerable.Range(0, count).Select(static number => $"message {number}")];
}
