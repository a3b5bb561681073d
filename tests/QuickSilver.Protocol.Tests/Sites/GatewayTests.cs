using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Several gateways: Figure 2 of the paper, and links that fail with packets under way.</summary>
public class GatewayTests
{
    private static readonly SiteMap Figure2 =
        new(["A", "B", "C", "D"], [new("A", "B", 10), new("B", "C", 10), new("B", "D", 10)]);

    [Theory]
    [InlineData(false, new byte[] { 3, 4, 2, 1 })]
    [InlineData(true, new byte[] { 1, 2, 3, 4 })]
    public void FigureTwoOfThePaper(bool inOrder, byte[] atC)
    {
        var world = new GatewayWorld(Figure2, new GatewaySettings { InOrder = inOrder });
        foreach (GatewayWorld.Site site in world.Sites)
        {
            site.Asked.Clear();
            site.Sent.Clear();
        }
        int lostAb = 0, lostBc = 0;
        world.Loses = (from, to, bytes) =>
            (from == 0 && GatewayWorld.MessageOf(bytes) == 2 && lostAb++ == 0)
            || (from == 1 && to == 2 && GatewayWorld.MessageOf(bytes) == 1 && lostBc++ == 0);
        foreach (byte message in (byte[])[1, 2, 3, 4])
        {
            world.Sites[0].Send(message);
            world.RunFor(TimeSpan.FromMilliseconds(1));
        }
        world.RunFor(TimeSpan.FromSeconds(1));
        // B hands on what comes as it comes: m2 has the last number on the link to C.
        (ulong Number, byte Message)[] toC = [.. world.Sites[1].Sent.Where(static sent => sent.To == 2)
            .Select(static sent => (sent.Number, sent.Message)).Distinct()];
        Assert.Equal([1, 3, 4, 2], toC.Select(static sent => sent.Message));
        ulong first = toC[0].Number;
        Assert.Equal([first, first + 1, first + 2, first + 3], toC.Select(static sent => sent.Number));
        // C asks for the link number of m1 alone, once.
        Assert.Equal([(1, first)], world.Sites[2].Asked);
        Assert.Equal(atC, world.Sites[2].Delivered);
        Assert.Equal(inOrder ? [1, 2, 3, 4] : [1, 3, 4, 2], world.Sites[3].Delivered);
        Assert.Equal(0, world.Sites[0].Gateway.Kept);
    }

    [Fact]
    public void WhatIsSentDuringACutIsKeptForASiteUntilItsTimeIsOver()
    {
        var map = new SiteMap(["A", "B"], [new("A", "B", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings { InOrder = true, HoldTime = TimeSpan.FromSeconds(5) });
        bool isCut = true;
        world.Loses = (_, _, _) => isCut;
        world.Sites[0].Send(1);
        world.RunFor(TimeSpan.FromSeconds(3));
        Assert.True(world.Sites[0].Gateway.LinkTo(1) is not { State: LinkState.Up });
        world.Sites[0].Send(2);
        Assert.Equal(2, world.Sites[0].Gateway.Kept);
        Assert.Equal(1, world.Sites[0].Gateway.SlowestOf(1));
        isCut = false;
        world.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal(new byte[] { 1, 2 }, world.Sites[1].Delivered);
        Assert.Equal(0, world.Sites[0].Gateway.Kept);

        isCut = true;
        world.Sites[0].Send(3);
        world.RunFor(TimeSpan.FromSeconds(10));
        Assert.Equal(0, world.Sites[0].Gateway.Kept);
        isCut = false;
        world.RunFor(TimeSpan.FromSeconds(3));
        world.Sites[0].Send(4);
        world.RunFor(TimeSpan.FromSeconds(1));
        // The site learns what it never gets.
        Assert.Equal(new byte[] { 1, 2, 0, 4 }, world.Sites[1].Delivered);
    }

    [Fact]
    public void ASiteThatWasNotHeardSinceTheStartIsWaitedFor()
    {
        var map = new SiteMap(["A", "B"], [new("A", "B", 10)]);
        var world = new GatewayWorld(
            map, new GatewaySettings { InOrder = true, HoldTime = TimeSpan.FromSeconds(10) }, first: 1);
        Assert.Empty(world.Sites[1].Delivered);
        world.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal(new byte[] { 1 }, world.Sites[1].Delivered);
        Assert.Equal(0, world.Sites[0].Gateway.Kept);
    }

    [Fact]
    public void WhatTheHostHasNotTakenIsNotHeld()
    {
        var map = new SiteMap(["A", "B"], [new("A", "B", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings { InOrder = true, TellsTaken = true });
        for (byte message = 1; message <= 5; message++) world.Sites[0].Send(message);
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal(5, world.Sites[1].Delivered.Count);
        Assert.Equal(5, world.Sites[0].Gateway.Kept);
        world.Sites[1].Gateway.OnTaken(new StreamId(0, 5, 1), 3, world.Now);
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal(2, world.Sites[0].Gateway.KeptOf(1));
        world.Sites[1].Gateway.OnTaken(new StreamId(0, 5, 1), 5, world.Now);
        // What no stream has is no harm.
        world.Sites[1].Gateway.OnTaken(new StreamId(0, 9, 1), 5, world.Now);
        world.RunFor(TimeSpan.FromSeconds(10));
        Assert.Equal(0, world.Sites[0].Gateway.Kept);
        Assert.Equal(-1, world.Sites[0].Gateway.SlowestOf(1));
        Assert.Equal(5, world.Sites[1].Delivered.Count);
    }

    [Fact]
    public void WhatIsUnderWayOnAFailedLinkTakesAnotherPathAndComesOnce()
    {
        var map = new SiteMap(["A", "B", "C"], [new("A", "B", 10), new("B", "C", 100), new("A", "C", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings { RepairAfter = TimeSpan.FromMinutes(1) });
        world.Loses = static (from, to, _) => (from, to) is (0, 2) or (2, 0);
        for (byte message = 1; message <= 20; message++) world.Sites[0].Send(message);
        world.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal(Enumerable.Range(1, 20).Select(static message => (byte)message), world.Sites[2].Delivered.Order());
        Assert.Equal(20, world.Sites[1].Delivered.Count);
        Assert.True(world.Sites[0].Gateway.Counters.Rerouted >= 20);
        Assert.Equal(0UL, world.Sites[0].Gateway.Counters.Repaired);
    }

    [Fact]
    public void OtherGroupsOfASiteLeaveTheTreesAsTheyAre()
    {
        var map = new SiteMap(["A", "B", "C"], [new("A", "B", 0), new("B", "C", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings());
        Topology before = world.Sites[1].Gateway.Topology;
        world.Sites[0].Send(1);
        // B learns of another group at C while m1 is on its way.
        world.Sites[2].Gateway.SetGroups([1, 2], world.Now);
        world.RunFor(TimeSpan.FromMilliseconds(100));
        Assert.Same(before, world.Sites[1].Gateway.Topology);
        Assert.Equal([1], world.Sites[2].Delivered);
        Assert.Equal(0UL, world.Sites[1].Gateway.Counters.Rerouted);
    }

    [Fact]
    public void SitesWithoutMembersGetNothing()
    {
        var map = new SiteMap(["A", "B", "C"], [new("A", "B", 10), new("A", "C", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings(), static site => site == 2 ? [] : [1]);
        world.Sites[0].Send(1);
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal([1], world.Sites[1].Delivered);
        Assert.DoesNotContain(world.Sites[0].Sent, static sent => sent.To == 2);
        Assert.Equal(0, world.Sites[0].Gateway.Kept);
    }

    [Fact]
    public void WhatIsSentWhileASiteHasNoMembersIsNotForIt()
    {
        var map = new SiteMap(["A", "B", "C"], [new("A", "B", 10), new("B", "C", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings { InOrder = true });
        Gateway sender = world.Sites[0].Gateway;
        world.Sites[0].Send(1);
        world.RunFor(TimeSpan.FromSeconds(1));
        foreach (int site in (int[])[1, 2]) world.Sites[site].Gateway.SetGroups([], world.Now);
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.True(sender.MembersOf(1).IsEmpty);
        world.Sites[0].Send(2);
        world.Sites[2].Gateway.SetGroups([1], world.Now);
        // Long after the site is known again its first record comes.
        world.RunFor(TimeSpan.FromMinutes(1));
        Assert.Equal(SiteSet.Of(2), sender.MembersOf(1));
        world.Sites[0].Send(3);
        world.RunFor(TimeSpan.FromSeconds(1));
        // B has no members, and forwards.
        Assert.Equal([1], world.Sites[1].Delivered);
        Assert.Equal([1, 3], world.Sites[2].Delivered);
        Assert.Equal(1UL, world.Sites[2].Passed);
        Assert.Equal(0UL, world.Sites[2].Gateway.Counters.Lost);
        Assert.Equal(0, sender.Kept);
    }

    [Fact]
    public void MembersThatComeBackBeforeTheFirstRecordLackWhatWasNotForThem()
    {
        var map = new SiteMap(["A", "B"], [new("A", "B", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings());
        // It is under way, and the members leave and come back before B knows of any stream.
        world.Sites[0].Send(1);
        world.Sites[1].Gateway.SetGroups([], world.Now);
        world.RunFor(TimeSpan.FromMilliseconds(5));
        world.Sites[1].Gateway.SetGroups([1], world.Now);
        world.RunFor(TimeSpan.FromMilliseconds(6));
        Assert.True(world.Sites[0].Gateway.MembersOf(1).IsEmpty);
        world.Sites[0].Send(2);
        world.RunFor(TimeSpan.FromMilliseconds(10));
        Assert.Equal(SiteSet.Of(1), world.Sites[0].Gateway.MembersOf(1));
        world.Sites[0].Send(3);
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 3], world.Sites[1].Delivered);
        Assert.Equal(1UL, world.Sites[1].Passed);
        Assert.Equal(0UL, world.Sites[1].Gateway.Counters.Lost);
    }

    [Fact]
    public void ASlowSiteHoldsUpTheSenderByTheWindow()
    {
        var map = new SiteMap(["A", "B"], [new("A", "B", 10)]);
        var world = new GatewayWorld(map, new GatewaySettings { Window = 8 });
        world.Loses = static (from, to, bytes) => from == 1 && LinkPair.NumberOf(bytes) > 0;
        for (byte message = 1; message <= 8; message++) Assert.Equal(message, world.Sites[0].Send(message));
        Assert.False(world.Sites[0].Gateway.HasRoom(1));
        Assert.Equal(0UL, world.Sites[0].Send(9));
        world.RunFor(TimeSpan.FromMilliseconds(200));
        Assert.Equal(8, world.Sites[0].Gateway.Kept);
        world.Loses = static (_, _, _) => false;
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.True(world.Sites[0].Gateway.HasRoom(1));
        Assert.Equal(9UL, world.Sites[0].Send(9));
    }

    [Fact]
    public void ADatagramFromNoNeighbourIsCounted()
    {
        var world = new GatewayWorld(Figure2, new GatewaySettings());
        world.Sites[0].Gateway.OnDatagram(3, new byte[30], world.Now);
        Assert.Equal(1UL, world.Sites[0].Gateway.Counters.Rejects[RejectReason.UnknownSender]);
        Assert.Equal(LinkState.Up, world.Sites[0].Gateway.LinkTo(1)!.State);
    }
}
