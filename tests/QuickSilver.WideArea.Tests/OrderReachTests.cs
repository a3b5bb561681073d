using System.Security.Cryptography;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Ordering;

namespace QuickSilver.WideArea.Tests;

/// <summary>What a gateway tells its ring of the sites that it reaches.</summary>
public sealed class OrderReachTests
{
    private readonly GatewayPlan _plan = Plan();
    private readonly SiteAgreement _agreement = new(0, 3, 1, CutPolicy.Majority);

    [Fact]
    public void A_life_that_has_no_routes_yet_leaves_no_site_out()
    {
        var reach = new OrderReach(_plan, CutPolicy.Majority, TimeSpan.FromHours(1));
        reach.Begin();

        Assert.Null(reach.Look(Statistics(), _agreement));
    }

    [Fact]
    public async Task A_site_is_left_out_when_no_way_has_led_to_it_for_the_time()
    {
        var reach = new OrderReach(_plan, CutPolicy.Majority, TimeSpan.FromMilliseconds(200));
        reach.Begin();
        await Task.Delay(300);
        var reached = new SiteRoute("tokyo", "tokyo");
        byte[]? told = reach.Look(Statistics(reached, new SiteRoute("lima", null)), _agreement);

        SiteSet both = SiteSet.Of(_plan.Site).With(_plan.Map.IndexOf("tokyo"));
        Assert.Equal(RingBody.Reach(both), told);
    }

    [Fact]
    public async Task With_the_policy_to_wait_no_site_is_left_out()
    {
        var reach = new OrderReach(_plan, CutPolicy.Wait, TimeSpan.Zero);
        reach.Begin();
        await Task.Delay(20);

        Assert.Null(reach.Look(Statistics(new SiteRoute("tokyo", null), new SiteRoute("lima", null)), _agreement));
    }

    private static SiteGatewayStatistics Statistics(params SiteRoute[] routes) =>
        new() { Site = "berlin", IsActive = true, Routes = routes };

    private static GatewayPlan Plan()
    {
        var options = new SiteGatewayOptions
        {
            Site = "berlin",
            Links =
            {
                new SiteLinkOptions { To = "tokyo", Address = "gateway.tokyo.example:16900" },
                new SiteLinkOptions { To = "lima", Address = "gateway.lima.example:16900" },
            },
            Groups = { "news" },
        };
        options.UsePreSharedKey(PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32))));
        return new GatewayPlan(options);
    }
}
