using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class MembershipTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void JoinInstallsActivatesAndSettles()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        WorldNode b = world.Add("b");
        a.Join("g");
        world.Run(Second);
        b.Join("g", "h");
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal([1UL], a.Settled.Select(step => step.Counter));
        Assert.Equal([2UL], b.Settled.Select(step => step.Counter));
        Assert.Equal(["g"], a.Steps[^1].Changed.Select(group => group.Name));
        Assert.Equal(["g", "h"], b.Steps[^1].Joined.Select(group => group.Name));
        Assert.Equal(a.Instance, b.Instance);
        Assert.Equal(2, world.Server.Statistics.Regions);
    }

    [Fact]
    public void FourPatternsOfTwoHundredGroupsMakeTheRegionsComputedByHand()
    {
        // One publisher in all of 200 groups; eight subscribers, two of each pattern: all; even or odd; first or second
        // half; every eighth group, twice.
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(9);
        nodes[0].Join(Names(_ => true));
        nodes[1].Join(Names(_ => true));
        nodes[2].Join(Names(_ => true));
        nodes[3].Join(Names(group => group % 2 == 0));
        nodes[4].Join(Names(group => group % 2 == 1));
        nodes[5].Join(Names(group => group < 100));
        nodes[6].Join(Names(group => group >= 100));
        nodes[7].Join(Names(group => group % 8 == 0));
        nodes[8].Join(Names(group => group % 8 == 0));
        world.Run(2 * Second);
        world.CheckQuiet();

        // Six signatures: all (the publisher and two more), even, odd, first half, second half, and every eighth group
        // for the last two.
        Assert.Equal(6, world.Server.Statistics.Regions);
        Assert.Equal(200, world.Server.Statistics.Groups);
        AssertRegions(nodes[0], 0, "n0 n1 n2", "n3", "n5", "n7 n8");
        AssertRegions(nodes[0], 1, "n0 n1 n2", "n4", "n5");
        AssertRegions(nodes[0], 2, "n0 n1 n2", "n3", "n5");
        AssertRegions(nodes[0], 96, "n0 n1 n2", "n3", "n5", "n7 n8");
        AssertRegions(nodes[0], 101, "n0 n1 n2", "n4", "n6");
        AssertRegions(nodes[0], 104, "n0 n1 n2", "n3", "n6", "n7 n8");
        AssertRegions(nodes[0], 199, "n0 n1 n2", "n4", "n6");
        AssertRegions(nodes[8], 0, "n0 n1 n2", "n3", "n5", "n7 n8");
        Assert.Equal(200, nodes[1].Agent.Cluster.Own!.Region.Groups.Length);
        Assert.Equal(25, nodes[7].Agent.Cluster.Own!.Region.Groups.Length);

        // Even and odd, or the two halves, have nothing in common and do not know each other.
        Assert.DoesNotContain(nodes[3].KnownViews, view => view == nodes[4].Agent.Cluster.Own!.Number);
        Assert.DoesNotContain(nodes[5].KnownViews, view => view == nodes[6].Agent.Cluster.Own!.Number);
        Assert.Contains(nodes[3].KnownViews, view => view == nodes[5].Agent.Cluster.Own!.Number);

        static IEnumerable<string> Names(Predicate<int> isIn) =>
            Enumerable.Range(0, 200).Where(group => isIn(group)).Select(group => $"g{group:d3}");

        static void AssertRegions(WorldNode node, int group, params string[] regions)
        {
            IReadOnlyList<RegionView> views = node.Agent.Cluster.ViewsOf(node.Groups[$"g{group:d3}"].Id);
            Assert.Equal(
                regions.Order(StringComparer.Ordinal),
                views.Select(
                    view => string.Join(' ', view.Members.Select(member => member.Name).Order(StringComparer.Ordinal)))
                    .Order(StringComparer.Ordinal));
        }
    }

    [Fact]
    public void EveryNodeInstallsEveryStep()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(4);
        world.Run(Second);
        for (int round = 0; round < 5; round++)
        {
            nodes[round % 2].Join($"g{round}");
            world.Run(Second);
        }
        foreach (WorldNode node in nodes)
        {
            Assert.Equal([1UL, 2, 3, 4, 5], node.Steps.Select(step => step.Number.Counter));
            Assert.Equal(node.Steps.Select(step => step.Number), node.Activated);
        }
        Assert.All(nodes[3].Steps, step => Assert.Empty(step.Opened));
    }

    [Fact]
    public void RequestsOfOneTurnMakeOneStep()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        world.Run(Second);
        for (int group = 0; group < 50; group++) node.Join($"g{group}");
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal(1UL, world.Server.Statistics.Steps);
    }

    [Fact]
    public void RequestsMadeBeforeRegistrationAreKept()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        node.Join("g");
        world.Run(Second);
        world.CheckQuiet();
    }

    [Fact]
    public void SurvivorsKeepTheirOrderAndNewcomersFollow()
    {
        var world = new MembershipWorld { MaxDelay = TimeSpan.Zero };
        WorldNode[] nodes = world.AddMany(4);
        nodes[3].Join("g");
        world.Run(Second);
        nodes[1].Join("g");
        nodes[2].Join("g");
        world.Run(Second);
        nodes[0].Join("g");
        world.Run(Second);
        Assert.Equal(["n3", "n1", "n2", "n0"], nodes[0].Agent.Cluster.Own!.Members.Select(member => member.Name));
        nodes[1].Leave("g");
        world.Run(Second);
        Assert.Equal(["n3", "n2", "n0"], nodes[2].Agent.Cluster.Own!.Members.Select(member => member.Name));
    }

    [Fact]
    public void LeaveAndJoinOfOneGroupNeverShareAStep()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        WorldNode b = world.Add("b");
        a.Join("g");
        b.Join("g");
        world.Run(Second);
        ulong before = world.Server.Statistics.Steps;
        GroupInfo group = a.Groups["g"];
        a.Leave("g");
        a.Join("g");
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal(before + 2, world.Server.Statistics.Steps);
        InstalledStep[] last = [.. a.Steps.TakeLast(2)];
        Assert.Equal([group], last[0].Left);
        Assert.Empty(last[0].Joined);
        Assert.Equal([group], last[1].Joined);
        Assert.Empty(last[1].Left);
    }

    [Fact]
    public void JoinSettlesOnlyWhenEverySenderHasSwitched()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(4);
        nodes[0].Join("g");
        nodes[1].Join("g", "h");
        world.Run(Second);
        nodes[1].HoldsSwitch = true;
        nodes[2].Join("g");
        world.Run(Second);
        Assert.Single(nodes[2].Activated, step => step == nodes[2].Steps[^1].Number);
        Assert.Empty(nodes[2].Settled);

        // A later step that the slow sender has nothing to do with settles before.
        nodes[3].Join("x");
        world.Run(Second);
        Assert.Single(nodes[3].Settled);
        Assert.Empty(nodes[2].Settled);
        nodes[1].SendHeldReports();
        world.Run(Second);
        Assert.Single(nodes[2].Settled);
        Assert.True(nodes[2].Settled[0] < nodes[3].Settled[0]);
    }

    [Fact]
    public void JoinSettlesWhenTheSenderThatHoldsItUpIsRemoved()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join("g");
        world.Run(Second);
        nodes[0].HoldsSwitch = true;
        nodes[1].Join("g");
        world.Run(Second);
        Assert.Empty(nodes[1].Settled);
        nodes[0].Goodbye();
        world.Run(Second);
        Assert.Single(nodes[1].Settled);
        world.CheckQuiet();
    }

    [Fact]
    public void StepIsActivatedWithoutLaggardsAfterTheTimeout()
    {
        var settings = new MembershipServerSettings
        {
            InstallTimeout = 3 * Second,
            FailureTimeout = Timeout.InfiniteTimeSpan,
            ReconnectGrace = 60 * Second,
        };
        var world = new MembershipWorld(1, settings);
        WorldNode[] nodes = world.AddMany(2);
        nodes[0].Join("g");
        world.Run(Second);
        world.Break(nodes[0]);
        nodes[1].Join("g");
        world.Run(2 * Second);
        Assert.Empty(nodes[1].Activated.Skip(1));
        world.Run(2 * Second);
        Assert.Equal(2UL, nodes[1].Activated[^1].Counter);
        Assert.Empty(nodes[1].Settled);
        world.Connect(nodes[0]);
        world.Run(Second);
        Assert.Equal(2UL, nodes[0].Activated[^1].Counter);
        Assert.Single(nodes[1].Settled);
        world.CheckQuiet();
    }

    [Fact]
    public void ThousandNodesThatJoinTogetherMakeAHandfulOfSteps()
    {
        var world = new MembershipWorld { IsChecked = node => node.Name.EndsWith("77", StringComparison.Ordinal) };
        WorldNode[] nodes = [.. Enumerable.Range(0, 1000).Select(index => world.Add($"n{index}"))];
        foreach (WorldNode node in nodes) node.Join("g", "h");
        world.Run(5 * Second);
        Assert.All(nodes, node => Assert.Equal(1000, node.Agent.Cluster.Own?.Members.Length));
        Assert.All(nodes, node => Assert.NotEmpty(node.Settled));
        Assert.InRange(world.Server.Statistics.Steps, 1UL, 6UL);
        Assert.InRange(nodes.Max(node => node.BytesReceived), 1, 60_000);
    }

    [Fact]
    public void HerdWithSetsOfItsOwnJoinsAndLeavesInFewSteps()
    {
        // Sixty nodes, each with its own random set of forty groups, that come over a tenth of a second and then leave
        // half of their groups together.
        var world = new MembershipWorld { IsChecked = node => node.Name.EndsWith('7'), MaxGroupsChecked = 5 };
        WorldNode[] nodes = world.AddMany(60);
        foreach (WorldNode node in nodes)
        {
            string[] names = [
                .. Enumerable.Range(0, 40).Where(_ => world.Random.NextBelow(2) == 0).Select(group => $"g{group}")];
            world.After(world.Random.NextBelow(Second / 10), () => node.Join(names));
        }
        world.Run(2 * Second);
        world.CheckQuiet();
        Assert.Equal(60, world.Server.Statistics.Regions);
        Assert.InRange(world.Server.Statistics.Steps, 1UL, 40UL);
        ulong before = world.Server.Statistics.Steps;
        foreach (WorldNode node in nodes) node.Leave([.. node.Wanted.Where((_, index) => index % 2 == 0)]);
        world.Run(2 * Second);
        world.CheckQuiet();
        Assert.InRange(world.Server.Statistics.Steps - before, 1UL, 4UL);
        Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void OneNodeJoinsTenThousandGroupsInOneStep()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        WorldNode b = world.Add("b");
        a.Join(Enumerable.Range(0, 10_000).Select(group => $"group-{group}"));
        world.Run(2 * Second);
        Assert.Equal(1UL, world.Server.Statistics.Steps);
        Assert.Equal(10_000, a.Groups.Count);
        b.Join(Enumerable.Range(0, 10_000).Select(group => $"group-{group}"));
        world.Run(2 * Second);

        // Both are in one region now, and then a node joins its 10,001st group: bytes for one group, not for all of
        // them.
        Assert.Equal(1, world.Server.Statistics.Regions);
        long before = a.BytesReceived;
        long beforeOther = b.BytesReceived;
        a.Join("one more");
        world.Run(Second / 2);
        Assert.Equal(10_001, a.Groups.Count);
        Assert.Equal(10_001, a.Agent.Cluster.Own!.Region.Groups.Length);
        Assert.InRange(a.BytesReceived - before, 1, 150);
        Assert.InRange(b.BytesReceived - beforeOther, 1, 150);
        Assert.Equal(2, b.Agent.Cluster.ViewsOf(b.Groups["group-77"].Id).Count);
    }

    [Fact]
    public void ScatteredGroupsAreDescribedAsADifferenceToo()
    {
        // Every third name, so that runs do not help: the description has to go by the region that the node came from.
        var world = new MembershipWorld();
        WorldNode all = world.Add("all");
        WorldNode some = world.Add("some");
        all.Join(Enumerable.Range(0, 6_000).Select(group => $"{group}"));
        world.Run(Second);
        some.Join(
            Enumerable.Range(0, 6_000).Where(group => SeededRandom.Mix((ulong)group) % 3 == 0)
                .Select(group => $"{group}"));
        world.Run(Second);
        long before = some.BytesReceived;
        long beforeOther = all.BytesReceived;
        some.Join("another");
        world.Run(Second / 2);
        Assert.InRange(some.BytesReceived - before, 1, 150);
        Assert.InRange(all.BytesReceived - beforeOther, 1, 150);
    }

    [Fact]
    public void LongListsAreSplitIntoFramesAndArriveWhole()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        string tail = new('x', 200);
        node.Join(Enumerable.Range(0, 12_000).Select(group => $"{group}-{tail}"));
        world.Run(2 * Second);
        Assert.Equal(12_000, node.Groups.Count);
        Assert.InRange(world.Server.Statistics.Steps, 1UL, 4UL);
    }

    [Fact]
    public void BadNamesAreRefusedOneByOne()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        node.Join(
            "", "$system", new string('ä', 128), new string('ä', 127), "lone \ud800 surrogate", new string('z', 5000),
            "a\tb", "fine");
        world.Run(Second);
        Assert.Equal(["fine", new string('ä', 127)], node.Groups.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(6, node.Refused.Count);
        Assert.All(node.Refused, refusal => Assert.Equal(MembershipRefusal.BadGroupName, refusal.Reason));
        Assert.Equal(4UL, world.Server.CountOf(MembershipRefusal.BadGroupName));
        world.CheckQuiet();
    }

    [Fact]
    public void ModeOfAGroupIsFixed()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        WorldNode b = world.Add("b");
        a.Join("g");
        world.Run(Second);
        b.Agent.RequestJoin(["g", "other"], static _ => 1, world.Now);
        world.Run(Second);
        Assert.Equal([("g", MembershipRefusal.GroupIsReliable)], b.Refused);
        Assert.Equal(1, b.Groups["other"].Mode);
    }

    [Fact]
    public void APublisherMustKnowTheModeAndIsToldTheAddress()
    {
        var world = new MembershipWorld(
            1, new MembershipServerSettings { MulticastFirst = 0xEF010000, MulticastCount = 4 });
        WorldNode a = world.Add("a");
        WorldNode b = world.Add("b");
        a.Agent.RequestJoin(["g", "h"], static _ => GroupModes.Hybrid, world.Now);
        world.Run(Second);
        b.Agent.RequestPublish(
            ["g", "h"], static name => name == "g" ? GroupModes.Hybrid : GroupModes.Reliable, world.Now);
        world.Run(Second);

        Assert.Equal([("h", MembershipRefusal.GroupIsHybrid)], b.Refused);
        GroupInfo published = Assert.Single(b.Agent.Cluster.Layout.PublishedGroups.Infos);
        Assert.Equal(a.Groups["g"], published);
        Assert.False(published.Address.IsNone);
    }

    [Fact]
    public void GroupKeepsItsNumberThroughLeavesAndJoins()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        WorldNode other = world.Add("b");
        node.Join("g");
        other.Join("g");
        world.Run(Second);
        GroupId id = node.Groups["g"].Id;
        node.Leave("g");
        world.Run(Second);
        Assert.Equal(1, world.Server.Statistics.Regions);
        node.Join("h", "g");
        world.Run(Second);
        Assert.Equal(id, node.Groups["g"].Id);
    }
}
