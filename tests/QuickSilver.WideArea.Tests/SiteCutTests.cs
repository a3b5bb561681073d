using QuickSilver.Bench.Shaping;

namespace QuickSilver.WideArea.Tests;

/// <summary>The order of all sites without sites that cannot be reached, and what happens when they are back.</summary>
public sealed class SiteCutTests
{
    private const int Count = 100;

    [Fact]
    public async Task With_a_majority_two_of_three_sites_go_on_and_the_third_catches_up()
    {
        await using SiteRig rig = await StartAsync(
            SiteCutPolicy.Majority, ("berlin", "oslo"), ("oslo", "tokyo"), ("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader oslo = await OrderReader.JoinAsync(rig.Members["oslo"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        await Task.WhenAll(berlin.SendAsync("b", Count), oslo.SendAsync("o", Count), tokyo.SendAsync("t", Count));
        await SiteOrderTests.UntilAllAsync(rig, 3 * Count, berlin, oslo, tokyo);
        Cut(rig, "tokyo", new WayShape { IsCut = true });
        await berlin.UntilSitesAsync(2);
        await oslo.UntilSitesAsync(2);
        Assert.Equal(["tokyo"], berlin.Changes[^1].Out);
        await Task.WhenAll(
            berlin.SendAsync("b", Count, Count), oslo.SendAsync("o", Count, Count), tokyo.SendAsync("t", Count, Count));
        await SiteOrderTests.UntilAllAsync(rig, 5 * Count, berlin, oslo);
        SiteOrderTests.AssertOneOrder(berlin, oslo);
        // Who waits delivers nothing that the others may not have.
        Assert.InRange(tokyo.Count, 3 * Count, 3 * Count);
        Assert.Contains(tokyo.Order.GetStatistics().WaitsFor, new[] { "berlin", "oslo" });

        Cut(rig, "tokyo", WayShape.Clear);
        foreach (OrderReader reader in new[] { berlin, oslo, tokyo }) await reader.UntilSitesAsync(3);
        Assert.True(tokyo.Changes[^1].IsBehind);
        Assert.Equal(["tokyo"], tokyo.Changes[^1].Together);
        Assert.False(berlin.Changes[^1].IsBehind);
        Assert.Equal(["berlin", "oslo"], berlin.Changes[^1].Together);
        await tokyo.SendAsync("t", Count, 2 * Count);
        await SiteOrderTests.UntilAllAsync(rig, 7 * Count, berlin, oslo);
        await SiteOrderTests.UntilAllAsync(rig, 5 * Count, tokyo);
        SiteOrderTests.AssertOneOrder(berlin, oslo);
        // What the third sent while it waited comes once, in its order.
        Assert.Equal(
            Enumerable.Range(0, 3 * Count).Select(static number => $"{(number % 2 == 0 ? "even" : "odd")} t {number}"),
            berlin.Texts.Where(static text => text.Contains(" t ", StringComparison.Ordinal)));
        Assert.Equal(TextsSince(berlin), TextsSince(tokyo));
    }

    [Fact]
    public async Task Both_sides_go_on_where_that_is_set_and_are_one_again()
    {
        await using SiteRig rig = await StartAsync(SiteCutPolicy.GoOn, ("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        await Task.WhenAll(berlin.SendAsync("b", Count), tokyo.SendAsync("t", Count));
        await SiteOrderTests.UntilAllAsync(rig, 2 * Count, berlin, tokyo);
        rig.Shape(new WayShape { IsCut = true });
        await Task.WhenAll(berlin.UntilSitesAsync(1), tokyo.UntilSitesAsync(1));
        await Task.WhenAll(berlin.SendAsync("b", Count, Count), tokyo.SendAsync("t", Count, Count));
        await SiteOrderTests.UntilAllAsync(rig, 3 * Count, berlin, tokyo);
        Assert.DoesNotContain($"even t {Count}", berlin.Texts);

        rig.Shape(WayShape.Clear);
        await Task.WhenAll(berlin.UntilSitesAsync(2), tokyo.UntilSitesAsync(2));
        Assert.True(berlin.Changes[^1].IsBehind && tokyo.Changes[^1].IsBehind);
        Assert.Equal(["berlin"], berlin.Changes[^1].Together);
        Assert.Equal(berlin.Changes[^1].Place, tokyo.Changes[^1].Place);
        await Task.WhenAll(berlin.SendAsync("b", Count, 2 * Count), tokyo.SendAsync("t", Count, 2 * Count));
        await SiteOrderTests.UntilAllAsync(rig, 5 * Count, berlin, tokyo);
        Assert.Equal(2 * Count, TextsSince(berlin).Count());
        Assert.Equal(TextsSince(berlin), TextsSince(tokyo));
        Assert.Equal(5 * Count, berlin.Texts.Distinct().Count());
    }

    [Theory]
    [InlineData(SiteCutPolicy.Wait, "tokyo")]
    [InlineData(SiteCutPolicy.Wait, "berlin")]
    [InlineData(SiteCutPolicy.Majority, "berlin")]
    public async Task A_site_that_loses_all_its_members_is_in_the_order_again(SiteCutPolicy policy, string site)
    {
        await using SiteRig rig = await StartAsync(
            policy, ("berlin", "oslo"), ("oslo", "tokyo"), ("berlin", "tokyo"));
        string[] others = [.. rig.Members.Keys.Where(name => name != site).Order(StringComparer.Ordinal)];
        await using OrderReader first = await OrderReader.JoinAsync(rig.Members[others[0]]);
        await using OrderReader second = await OrderReader.JoinAsync(rig.Members[others[1]]);
        await using (OrderReader lost = await OrderReader.JoinAsync(rig.Members[site]))
        {
            await Task.WhenAll(first.SendAsync("a", Count), lost.SendAsync("t", Count));
            await lost.UntilAsync(2 * Count);
            await rig.LoseAsync(site);
        }
        await using OrderReader back = await OrderReader.JoinAsync(rig.Members[site]);
        await SiteRig.UntilAsync(
            () => back.Order.GetStatistics().HasBegun, () => $"the site begins: {back.Order.GetStatistics()}");
        await Task.WhenAll(first.SendAsync("a", Count, Count), back.SendAsync("u", Count));
        await SiteOrderTests.UntilAllAsync(rig, 4 * Count, first, second);
        await SiteRig.UntilAsync(
            () => back.Texts.Contains($"odd u {Count - 1}") && back.Texts.Contains($"odd a {(2 * Count) - 1}"),
            () => $"all that came since: {back.Count}, {back.Order.GetStatistics()}");
        SiteOrderTests.AssertOneOrder(first, second);
        Assert.Equal(4 * Count, first.Texts.Distinct().Count());
        Assert.Equal(TextsSince(back), first.Texts.Skip(first.Count - TextsSince(back).Count()));
        Assert.False(first.Changes[^1].IsBehind);
        Assert.Equal(others, first.Changes[^1].Together);
    }

    [Fact]
    public async Task An_only_gateway_that_is_killed_and_starts_again_goes_on_with_the_order()
    {
        await using SiteRig rig = await StartAsync(SiteCutPolicy.Wait, ("berlin", "tokyo"));
        await using OrderReader berlin = await OrderReader.JoinAsync(rig.Members["berlin"]);
        await using OrderReader tokyo = await OrderReader.JoinAsync(rig.Members["tokyo"]);
        Task sending = Task.WhenAll(berlin.SendAsync("b", 10 * Count), tokyo.SendAsync("t", 10 * Count));
        await berlin.UntilAsync(2 * Count);
        await rig.Gateways["tokyo"].KillAsync();
        await rig.Gateways["tokyo"].DisposeAsync();
        await rig.StartGatewayAsync("tokyo");
        await sending;
        await SiteOrderTests.UntilAllAsync(rig, 20 * Count, berlin, tokyo);
        SiteOrderTests.AssertOneOrder(berlin, tokyo);
        Assert.Equal(20 * Count, tokyo.Texts.Distinct().Count());
        Assert.InRange(tokyo.Changes.Count, 0, 1);
    }

    // What came since the last change of the sites.
    private static IEnumerable<string> TextsSince(OrderReader reader)
    {
        IReadOnlyList<SiteOrderEvent> events = reader.Events;
        int last = Math.Max(0, events.ToList().FindLastIndex(static told => told is SitesChanged));
        return reader.Texts.Skip(events.Take(last).Count(static told => told is SiteOrderedMessage));
    }

    private static void Cut(SiteRig rig, string site, WayShape shape)
    {
        foreach (string other in new[] { "berlin", "oslo" }) rig.Relay(other, site).Shape(shape);
    }

    private static async Task<SiteRig> StartAsync(SiteCutPolicy policy, params (string First, string Second)[] links)
    {
        var rig = new SiteRig(links)
        {
            Change = options =>
            {
                options.OrdersGroups = true;
                options.CutPolicy = policy;
                options.LeaveOutAfter = TimeSpan.FromSeconds(2);
            },
        };
        await rig.StartAsync();
        return rig;
    }
}
