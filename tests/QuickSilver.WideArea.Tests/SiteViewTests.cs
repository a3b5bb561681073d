using QuickSilver.Bench.Shaping;

namespace QuickSilver.WideArea.Tests;

/// <summary>Nodes of a site know which sites have members.</summary>
public sealed class SiteViewTests
{
    [Fact]
    public async Task A_node_sees_the_members_of_other_sites_come_and_go()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        await rig.StartAsync();
        await using SiteView sites = await SiteView.OpenAsync(rig.Members["berlin"]);
        await SiteRig.UntilAsync(
            () => Of(sites, "tokyo") is { IsReached: true, Count: 0 }, () => $"tokyo is known: {Of(sites, "tokyo")}");
        Assert.True(sites.HasGateway);
        Assert.Equal("berlin", sites.Site);
        Assert.Equal(["berlin", "tokyo"], sites.Of("news").Select(static place => place.Site));
        Assert.Empty(sites.Of("other"));
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        await using IAsyncEnumerator<SiteMembers> changes = sites.ReadChangesAsync(limit.Token).GetAsyncEnumerator();
        SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
        await sites.WaitForMembersAsync("news", "tokyo", limit.Token);
        Assert.Equal([rig.Members["tokyo"].Name], Of(sites, "tokyo")!.Names);
        do Assert.True(await changes.MoveNextAsync());
        while (changes.Current is not { Site: "tokyo", Count: 1 });
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        await SiteRig.UntilAsync(() => Of(sites, "berlin")?.Count == 1, () => "the own member");
        await tokyo.Group.LeaveAsync();
        await SiteRig.UntilAsync(() => Of(sites, "tokyo")?.Count == 0, () => "the member has left");

        rig.Shape(new WayShape { IsCut = true });
        await SiteRig.UntilAsync(() => Of(sites, "tokyo") is { IsReached: false }, () => "the cut is seen");
        using var soon = new CancellationTokenSource(10);
        var late = await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => sites.WaitForMembersAsync("news", "tokyo", soon.Token));
        Assert.Contains("tokyo", late.Message, StringComparison.Ordinal);
        await rig.Gateways["berlin"].KillAsync();
        await SiteRig.UntilAsync(() => !sites.HasGateway, () => "the gateway is silent");
        rig.Shape(WayShape.Clear);
        await rig.StartGatewayAsync("berlin");
        await SiteRig.UntilAsync(() => Of(sites, "tokyo") is { IsReached: true }, () => "the next gateway tells");
    }

    [Fact]
    public async Task What_is_sent_once_a_member_is_known_comes_to_it()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("oslo", "tokyo"));
        rig.Change = static options => options.PruneAfter = TimeSpan.Zero;
        rig.Shape(new WayShape { Delay = TimeSpan.FromMilliseconds(5), Loss = 0.05 });
        await rig.StartAsync();
        await using SiteView sites = await SiteView.OpenAsync(rig.Members["berlin"]);
        SiteRig.Collected berlin = await rig.JoinAsync("berlin");
        using var limit = new CancellationTokenSource(SiteRig.Patience);
        for (int round = 0; round < 5; round++)
        {
            SiteRig.Collected tokyo = await rig.JoinAsync("tokyo");
            await sites.WaitForMembersAsync("news", "tokyo", limit.Token);
            for (int number = 0; number < 20; number++) await berlin.Group.SendAsync($"{round}: {number}");
            await SiteRig.UntilAsync(() => tokyo.Texts.Contains($"{round}: 19"), () => $"the last of round {round}");
            Assert.Equal(
                Enumerable.Range(0, 20).Select(number => $"{round}: {number}"),
                tokyo.Texts.Where(text => text.StartsWith($"{round}:", StringComparison.Ordinal)));
            await tokyo.Group.LeaveAsync();
            await SiteRig.UntilAsync(
                () => Of(sites, "tokyo") is { Receives: false }, () => "tokyo is sent to no longer");
            await berlin.Group.SendAsync("for nobody");
        }
        Assert.Equal(0, rig.Gateways["tokyo"].GetStatistics().RecordsLost);
    }

    [Fact]
    public async Task A_node_sees_how_the_gateway_reaches_other_sites()
    {
        await using var rig = new SiteRig(("berlin", "oslo"), ("oslo", "tokyo"));
        await rig.StartAsync();
        await using SiteView sites = await SiteView.OpenAsync(rig.Members["berlin"]);
        await SiteRig.UntilAsync(() => Ways(sites) == "oslo by oslo, tokyo by oslo", () => Ways(sites));
        Assert.Null(sites.GetRoutes()[1].Link);
        SiteLinkStatistics link = sites.GetRoutes()[0].Link!;
        Assert.Equal(("oslo", SiteLinkState.Up, SiteLinkTransport.Udp), (link.Site, link.State, link.Transport));
        Assert.True(link.RoundTrip > TimeSpan.Zero);
        Assert.True(link.PacketsSent > 0);

        rig.Relay("berlin", "oslo").Shape(new WayShape { IsCut = true });
        await SiteRig.UntilAsync(() => Ways(sites) == "oslo by , tokyo by ", () => Ways(sites));
        Assert.NotEqual(SiteLinkState.Up, sites.GetRoutes()[0].Link!.State);
        await rig.Gateways["berlin"].KillAsync();
        await SiteRig.UntilAsync(() => sites.GetRoutes().Count == 0, () => Ways(sites));
    }

    private static string Ways(SiteView sites) =>
        string.Join(", ", sites.GetRoutes().Select(static one => $"{one.Site} by {one.Via}"));

    private static SiteMembers? Of(SiteView sites, string site) =>
        sites.Of("news").FirstOrDefault(place => place.Site == site);
}
