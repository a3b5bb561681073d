using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulation.Tests.Sites;

/// <summary>A link of ten megabits over which a group sends as much as it may.</summary>
public sealed class FloodedLinkTests
{
    private const uint Flood = 1;
    private const uint Other = 2;
    private const int Bytes = 1000;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    // A host that has too much to do takes what has come in turns. The queue of the narrow place is 210 ms long, in
    // each direction. With turns of 20 ms on average it is not empty: the round trip is then 0.33 s.
    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(20)]
    [InlineData(40)]
    public void NoQueueStandsInTheNetwork(int takenEveryMilliseconds)
    {
        SiteWorld world = Begin(TimeSpan.FromMilliseconds(takenEveryMilliseconds));
        ulong delivered = 0;
        world.Sites[1].Delivered = (_, _, _) => delivered++;
        foreach (SimulatedSite site in world.Sites) Send(world, site);
        world.RunFor(TimeSpan.FromSeconds(60));
        ulong before = delivered;
        Link link = world.Sites[0].Gateway!.LinkTo(1)!;
        double longest = 0;
        for (int second = 0; second < 30; second++)
        {
            world.RunFor(TimeSpan.FromSeconds(1));
            longest = Math.Max(longest, link.RoundTrip.Smoothed.TotalMilliseconds);
        }
        Assert.InRange(longest, 0, 100 + (15 * takenEveryMilliseconds));
        Assert.InRange((delivered - before) * Bytes / 30.0 / new WayModel().Rate, 0.75, 1);
    }

    [Fact]
    public void OtherGroupsAreNotHeldUp()
    {
        SiteWorld world = Begin(default);
        Instant came = Instant.Never;
        world.Sites[1].Delivered = (stream, _, _) =>
        {
            if (stream.Group == Other) came = world.Now;
        };
        Send(world, world.Sites[0]);
        world.RunFor(TimeSpan.FromSeconds(20));
        Assert.InRange(world.Sites[0].Gateway!.LinkTo(1)!.Waiting, 3000, 5000);
        Instant sent = world.Now;
        world.Sites[0].Send(Other, new byte[Bytes]);
        world.RunFor(TimeSpan.FromSeconds(10));
        Assert.InRange(came - sent, TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
    }

    private static SiteWorld Begin(TimeSpan takenEvery)
    {
        var way = new WayModel { Delay = TimeSpan.FromMilliseconds(4), TakenEvery = takenEvery };
        var settings = new GatewaySettings { Window = 4096, RepairAfter = TimeSpan.FromSeconds(10) };
        var map = new SiteMap(["a", "b"], [new SiteLink("a", "b")]);
        var world = new SiteWorld(7, map, settings, static _ => [Flood, Other], (_, _) => way);
        foreach (SimulatedSite site in world.Sites) site.Start();
        Assert.True(world.RunUntil(() => world.Sites[0].Gateway!.Reached.Count == 2, TimeSpan.FromSeconds(30)));
        return world;
    }

    private static void Send(SiteWorld world, SimulatedSite site)
    {
        // Where no other site is reached, all is taken.
        while (site.Gateway!.Reached.Count == 2 && site.Send(Flood, new byte[Bytes]) > 0)
        {
        }
        world.At(Tick, () => Send(world, site));
    }
}
