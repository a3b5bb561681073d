using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulation.Tests.Sites;

/// <summary>Links between hosts that have too much to do: they take what has come in turns, and much at a time.
/// </summary>
public sealed class StarvedLinkTests
{
    private const uint Group = 1;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    // The queue of the narrow place alone is 210 ms long in each direction.
    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(20)]
    [InlineData(40)]
    public void NoQueueStandsWhereTheReceiverIsLate(int everyMilliseconds)
    {
        var way = new WayModel
        {
            Delay = TimeSpan.FromMilliseconds(4),
            TakenEvery = TimeSpan.FromMilliseconds(everyMilliseconds),
        };
        var settings = new GatewaySettings { Window = 4096, RepairAfter = TimeSpan.FromSeconds(10) };
        var map = new SiteMap(["a", "b"], [new SiteLink("a", "b")]);
        var world = new SiteWorld(7, map, settings, static _ => [Group], (_, _) => way);
        foreach (SimulatedSite site in world.Sites) site.Start();
        Assert.True(world.RunUntil(() => world.Sites[0].Gateway!.Reached.Count == 2, TimeSpan.FromSeconds(30)));
        ulong delivered = 0;
        world.Sites[1].Delivered = (_, _, _) => delivered++;
        foreach (SimulatedSite site in world.Sites) Send(site);
        world.RunFor(TimeSpan.FromSeconds(60));
        ulong before = delivered;
        double longest = 0;
        for (int second = 0; second < 30; second++)
        {
            world.RunFor(TimeSpan.FromSeconds(1));
            Link link = world.Sites[0].Gateway!.LinkTo(1)!;
            longest = Math.Max(longest, link.RoundTrip.Smoothed.TotalMilliseconds);
        }
        double share = (delivered - before) * 1000 / 30.0 / way.Rate;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"longest {longest} least {world.Sites[0].Gateway!.LinkTo(1)!.RoundTrip.Least} share {share}");
        Assert.InRange(longest, 0, 100 + (6 * everyMilliseconds));
        Assert.InRange(share, 0.75, 1);

        void Send(SimulatedSite site)
        {
            while (site.Send(Group, new byte[1000]) > 0)
            {
            }
            world.At(Tick, () => Send(site));
        }
    }
}
