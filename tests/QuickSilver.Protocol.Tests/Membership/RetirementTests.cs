using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class RetirementTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void ViewRetiresAtAllThatKnewItWhenEverySenderIsDone()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(3);
        nodes[0].Join("g");
        nodes[1].Join("g", "h");
        world.Run(Second);
        RegionView old = nodes[0].Agent.Cluster.Own!;
        nodes[1].HoldsDone = true;
        nodes[2].Join("g");
        world.Run(Second);
        Assert.Empty(nodes[0].Retired);

        // Node 1 is no member of the old view, but was permitted to send in it.
        nodes[1].SendHeldReports();
        world.Run(Second);
        Assert.Equal([old.Number], nodes[0].Retired.Select(view => view.Number));
        Assert.Equal([old.Number], nodes[1].Retired.Select(view => view.Number));
        Assert.Empty(nodes[2].Retired);
        Assert.Same(old, nodes[0].Retired[0]);
        Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void RemovedSendersAreNotWaitedFor()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join("g");
        nodes[1].Join("g", "h");
        world.Run(Second);
        nodes[1].HoldsDone = true;
        nodes[1].Leave("h");
        world.Run(Second);
        Assert.Empty(nodes[0].Retired);
        nodes[1].Goodbye();
        world.Run(Second);
        Assert.NotEmpty(nodes[0].Retired);
        Assert.Equal(1, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void ANodePermittedAgainMustBeDoneAgain()
    {
        // The view of {g} never changes while node 1 leaves g, joins it again (through other regions: it is in h too),
        // and leaves for good.
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join("g");
        nodes[1].Join("g", "h");
        world.Run(Second);
        RegionView view = nodes[0].Agent.Cluster.Own!;
        nodes[1].Leave("g");
        world.Run(Second);
        Assert.Contains(view.Number, nodes[1].Steps[^1].Superseded.Select(ended => ended.Number));
        Assert.Same(view, nodes[0].Agent.Cluster.Own);
        nodes[1].Join("g");
        world.Run(Second);
        Assert.Contains(view.Number, nodes[1].Steps[^1].Opened.Select(opened => opened.Number));
        Assert.Same(view, nodes[0].Agent.Cluster.Own);

        // It was done once. When the view ends, that does not count.
        nodes[1].HoldsDone = true;
        nodes[0].Leave("g");
        world.Run(Second);
        Assert.DoesNotContain(view.Number, nodes[0].Retired.Select(retired => retired.Number));
        nodes[1].SendHeldReports();
        world.Run(Second);
        Assert.Contains(view.Number, nodes[0].Retired.Select(retired => retired.Number));
        Assert.Contains(view.Number, nodes[1].Retired.Select(retired => retired.Number));
    }

    [Fact]
    public void DoneThatCrossesANewPermissionIsVoid()
    {
        var world = new MembershipWorld { MaxDelay = TimeSpan.FromMilliseconds(2) };
        WorldNode[] nodes = world.AddMany(3);
        nodes[0].Join("g");
        nodes[1].Join("g", "h");
        world.Run(Second);
        RegionView view = nodes[0].Agent.Cluster.Own!;
        nodes[1].HoldsDone = true;
        nodes[1].Leave("g");
        nodes[1].Join("g");
        world.Run(Second);
        Assert.Same(view, nodes[0].Agent.Cluster.Own);

        // Permitted again, the node claims to be done with a view that is current.
        nodes[1].Agent.ReportDone(view.Number);
        world.Run(Second);
        nodes[0].Leave("g");
        world.Run(Second);
        Assert.DoesNotContain(view.Number, nodes[0].Retired.Select(retired => retired.Number));
        Assert.True(nodes[1].IsLive);
    }

    [Fact]
    public void ARegionWithFourUnretiredViewsWaitsButForRemovals()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(8);
        nodes[0].HoldsDone = true;
        for (int index = 0; index < 6; index++)
        {
            nodes[index].Join("g");
            world.Run(Second);
        }
        Assert.Equal(4, world.Server.Statistics.UnretiredViews);
        Assert.Equal(4, nodes[0].Agent.Cluster.Own!.Members.Length);
        Assert.Equal(2, world.Server.Statistics.WaitingChanges);

        // Changes elsewhere go on.
        nodes[6].Join("h");
        world.Run(Second);
        Assert.Single(nodes[6].Settled);

        // A removal makes a fifth.
        nodes[3].Goodbye();
        world.Run(Second);
        Assert.Equal(3, nodes[0].Agent.Cluster.Own!.Members.Length);
        Assert.Equal(5 + 1, world.Server.Statistics.UnretiredViews);
        nodes[0].SendHeldReports();
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal(0, world.Server.Statistics.WaitingChanges);
        Assert.Equal(2, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void RegionKeepsItsNumberWhileItHasUnretiredViews()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        nodes[1].Join("g", "h");
        nodes[0].Join("g");
        world.Run(Second);
        RegionId id = nodes[0].Agent.Cluster.Own!.Region.Id;
        nodes[1].HoldsDone = true;
        nodes[0].Leave("g");
        world.Run(Second);
        nodes[0].Join("g");
        world.Run(Second);
        Assert.Equal(id, nodes[0].Agent.Cluster.Own!.Region.Id);
        nodes[1].SendHeldReports();
        nodes[0].Leave("g");
        world.Run(Second);
        nodes[0].Join("g");
        world.Run(Second);
        Assert.NotEqual(id, nodes[0].Agent.Cluster.Own!.Region.Id);
    }
}
