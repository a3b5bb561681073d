using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Nodes that keep an ended view from retiring: who goes, the sender that waits or the member that does not
/// answer.</summary>
public sealed class DrainWatchTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void SenderThatHearsNothingFromAnEndedViewIsRemoved(bool hears)
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(4, sender: 3);
        Assert.Equal(3, world.Server.Statistics.UnretiredViews);
        ulong heard = 0;
        nodes[3].Observing = (observed, _) =>
        {
            if (hears) heard++;
            observed.AwaitDrain(nodes[3], heard, isAnswered: false);
        };
        world.Run(19 * Second);
        Assert.True(nodes[3].IsLive);
        world.Run(10 * Second);
        Assert.Equal(hears, nodes[3].IsLive);
        if (!hears) Assert.Equal(MembershipRefusal.Unreachable, nodes[3].Expelled);
        Assert.All(nodes[..3], node => Assert.True(node.IsLive));
    }

    [Fact]
    public void SenderIsWaitedForWhileAMemberIsAccused()
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(4, sender: 3);
        nodes[3].Observing = (observed, _) => observed.AwaitDrain(nodes[3], heard: 0, isAnswered: false);
        nodes[0].Observing = (observed, now) =>
        {
            if (nodes[1].IsLive) observed.Accuse(nodes[1], now);
        };
        nodes[2].Observing = (observed, _) => observed.Hearsay(nodes[1]);
        world.Run(15 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[1].Expelled);
        Assert.True(nodes[3].IsLive);
    }

    // Somebody else was removed again and again, and each time the sender's time began again.
    [Fact]
    public void RemovalInOtherViewsDoesNotGiveTheSenderTime()
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(3, sender: 2);
        WorldNode[] others = world.AddMany(4);
        foreach (WorldNode other in others) other.Join("other");
        world.Run(Second);
        nodes[2].Observing = (observed, _) => observed.AwaitDrain(nodes[2], heard: 0, isAnswered: false);
        foreach (WorldNode other in others)
        {
            world.Run(6 * Second);
            other.Leave("other");
            world.Break(other);
        }
        world.Run(3 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[2].Expelled);
    }

    // Deaf nodes came back for ever and accused everybody, and each time a mute sender's time began again.
    [Fact]
    public void NewcomerThatAccusesMembersAgainAndAgainPutsTheSenderOffOnce()
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(4, sender: 3);
        WorldNode newcomer = world.AddMany(1)[0];
        newcomer.Join("g");
        world.Run(Second);
        nodes[3].Observing = (observed, _) => observed.AwaitDrain(nodes[3], heard: 0, isAnswered: false);
        newcomer.Observing = (observed, now) =>
        {
            if ((now - Instant.Zero).Seconds % 10 < 5) observed.Accuse(nodes[1], TimeSpan.Zero);
        };
        world.Run(35 * Second);
        Assert.True(nodes[3].IsLive);
        world.Run(35 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[3].Expelled);
        Assert.All(nodes[..3], node => Assert.True(node.IsLive));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneMemberThatDoesNotAnswerGoesIfTheSenderIsAnsweredElsewhere(bool isAnswered)
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(2, sender: 0);
        nodes[0].Observing = (observed, _) => observed.AwaitDrain(nodes[0], heard: 0, isAnswered);
        world.Run(30 * Second);
        Assert.Equal(isAnswered, nodes[0].IsLive);
        Assert.Equal(!isAnswered, nodes[1].IsLive);
    }

    // A mute member outlived its neighbours, which accused it until they went themselves; each time the sender's time
    // began again.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneMemberThatDoesNotAnswerIsNotExcusedByThoseThatAccuseIt(bool isAnswered)
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(2, sender: 0);
        WorldNode other = world.AddMany(1)[0];
        other.Join("g");
        world.Run(Second);
        nodes[0].Observing = (observed, _) => observed.AwaitDrain(nodes[0], heard: 0, isAnswered);
        other.Observing = (observed, now) =>
        {
            if (nodes[1].IsLive && (now - Instant.Zero).Seconds % 10 < 5) observed.Accuse(nodes[1], TimeSpan.Zero);
        };
        world.Run(30 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.True(other.IsLive);
        Assert.Equal(!isAnswered, nodes[1].IsLive);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneMemberThatAsksAndReadsNothingGoesThoughItIsHeard(bool reads)
    {
        (MembershipWorld world, WorldNode[] nodes) = MakeEndedView(2, sender: 0);
        Instant since = world.Now;
        ulong heard = 0;
        nodes[0].Observing = (observed, _) => observed.AwaitDrain(nodes[0], heard++, isAnswered: false);
        nodes[1].Observing = (observed, now) => observed.UnheardFor = reads ? TimeSpan.Zero : now - since;
        world.Run(19 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
        world.Run(5 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.Equal(reads, nodes[1].IsLive);
    }

    [Fact]
    public void WhoReadsNothingThoughNobodyWaitsForItStays()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        Instant since = world.Now;
        nodes[1].Observing = (observed, now) => observed.UnheardFor = now - since;
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    // A node joins another group, so the view of all ends; one of its senders is never done with it.
    private static (MembershipWorld World, WorldNode[] Nodes) MakeEndedView(int members, int sender)
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(members);
        nodes[sender].HoldsDone = true;
        nodes[0].Join("more");
        world.Run(Second);
        return (world, nodes);
    }
}
