using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Networks that lose multicast and nothing else, for all or for some: carriers are judged by what
/// arrives.</summary>
public sealed class CarrierTests
{
    private const string Group = "g";
    private const int PerSecond = 500;
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Soon = 5 * Second;

    public static TheoryData<int?, int?> Outages => new()
    {
        { null, null }, // For all.
        { 2, null }, // One member hears nobody's.
        { 2, 0 }, // One pair, one way.
        { null, 0 }, // One sender is heard by nobody.
    };

    [Theory]
    [MemberData(nameof(Outages))]
    public void WhoHearsNoMulticastIsCarriedByUnicastWithinSecondsAndBackWhenItDoes(int? member, int? sender)
    {
        SimulatedCluster cluster = Make(seed: 1, loss: 0, TimeSpan.FromMinutes(2));
        cluster.RunFor(2 * Second);
        cluster.Inject(new MulticastOutage(cluster.Elapsed, 40 * Second, member, sender));
        cluster.RunFor(Soon);

        int concerned = member is null ? 3 : 1;
        Assert.Equal(concerned, cluster.Nodes[0].Counters.MembersByUnicast);
        Figures before = Measure(cluster);
        cluster.RunFor(20 * Second);
        Figures during = Measure(cluster) - before;
        Assert.True(during.Repairs * 10 < during.Data, $"{during.Repairs} bytes of repairs for {during.Data} of data");
        Assert.Equal(20 * PerSecond * 4, during.Delivered, tolerance: PerSecond);
        Assert.True(during.Took < TimeSpan.FromMilliseconds(2), $"a message took {during.Took}");
        Assert.Equal(concerned, cluster.Nodes[0].Counters.MembersByUnicast);
        Assert.True(
            during.Twice < PerSecond / 10,
            $"{during.Twice} packets came twice: a member that hears the multicast gets no copies");

        // Probed after 5, 10 and 20 s: the outage ends 40 s after its beginning, the next probes come at the latest a
        // minute later.
        cluster.RunFor(80 * Second);
        Assert.Equal(0, cluster.Nodes[0].Counters.MembersByUnicast);
        cluster.Settle(30 * Second);
        cluster.Shutdown();
    }

    // The sender is no member of the view, so no token tells of it; its beacons are multicast as well.
    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void ASenderFromOutsideThatNobodyHearsIsFoundOut(int seconds)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = 6,
            Membership = new MembershipServerSettings { FailureTimeout = 3 * Second },
        });
        cluster.Inject(new MulticastOutage(seconds * Second, Timeout.InfiniteTimeSpan, null, 0));
        cluster.Await(cluster.Nodes[0].Join(Group, "other"));
        cluster.Await([.. cluster.Nodes.Skip(1).Select(static node => node.Join(Group))]);
        cluster.Start(new SendPlan(0, Group, 2_000, TimeSpan.FromMilliseconds(10)));
        cluster.RunFor(25 * Second);
        cluster.Settle(Soon);
        Assert.All(cluster.Nodes, static node => Assert.True(node.IsMember));
        Assert.Equal(3, cluster.Nodes[0].Counters.MembersByUnicast);
        cluster.Shutdown();
    }

    [Theory]
    [InlineData(0.3)]
    [InlineData(0.6)]
    public void HeavyLossIsNoReasonToLeaveMulticast(double loss)
    {
        SimulatedCluster cluster = Make(seed: 2, loss: 0, 30 * Second);
        cluster.RunFor(2 * Second);
        cluster.Inject(new LossBurst(cluster.Elapsed, 20 * Second, null, 2, loss));
        cluster.RunFor(20 * Second);

        Assert.All(cluster.Nodes, node => Assert.Equal(0UL, node.Stack.Rooms.DisseminationCounters.MembersToUnicast));
        cluster.Settle(60 * Second);
        cluster.Shutdown();
    }

    [Fact]
    public void AMemberThatStoodStillIsNotTakenForOneThatHearsNothing()
    {
        SimulatedCluster cluster = Make(seed: 3, loss: 0.01, 30 * Second);
        cluster.RunFor(2 * Second);
        for (int time = 0; time < 3; time++)
            cluster.Inject(new NodeFreeze(cluster.Elapsed + (6 * time * Second), 3 * Second, 2));
        cluster.RunFor(25 * Second);

        Assert.All(cluster.Nodes, node => Assert.Equal(0UL, node.Stack.Rooms.DisseminationCounters.MembersToUnicast));
        cluster.Settle(60 * Second);
        cluster.Shutdown();
    }

    [Fact]
    public void WhatIsKnownOfAMemberHoldsInTheViewsThatFollow()
    {
        SimulatedCluster cluster = Make(seed: 4, loss: 0, 60 * Second);
        cluster.Inject(new MulticastOutage(cluster.Elapsed, Timeout.InfiniteTimeSpan, 2));
        cluster.RunFor(Soon);
        Figures before = Measure(cluster);
        for (int time = 0; time < 10; time++)
        {
            SimulatedLeave leave = cluster.Nodes[3].Leave(Group);
            cluster.RunFor(Second);
            cluster.Await(cluster.Nodes[3].Join(Group));
            cluster.RunFor(Second);
            Assert.True(leave.IsCompleted);
        }
        Figures during = Measure(cluster) - before;
        Assert.Equal(1, cluster.Nodes[0].Counters.MembersByUnicast);
        Assert.Equal(1UL, cluster.Nodes[0].Stack.Rooms.DisseminationCounters.MembersToUnicast);
        Assert.True(during.Repairs * 100 < during.Data, $"{during.Repairs} bytes of repairs for {during.Data} of data");
        cluster.Settle(60 * Second);
        cluster.Shutdown();
    }

    [Fact]
    public void CopiesThatDoNotArriveEitherEnd()
    {
        // Nothing that node 0 sends reaches node 2, by any way; others repair it.
        SimulatedCluster cluster = Make(seed: 5, loss: 0, 60 * Second);
        cluster.Inject(new LinkCut(cluster.Elapsed + Second, Timeout.InfiniteTimeSpan, 0, 2));
        cluster.RunFor(20 * Second);

        Assert.Equal(0, cluster.Nodes[0].Counters.MembersByUnicast);
        Assert.InRange(cluster.Nodes[0].Stack.Rooms.DisseminationCounters.MembersToUnicast, 0UL, 1UL);
        Assert.True(cluster.Marks.GetValueOrDefault("copies by unicast do not reach a member either") > 0);
        cluster.Settle(60 * Second);
        cluster.Shutdown();
    }

    private static SimulatedCluster Make(ulong seed, double loss, TimeSpan sending)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = seed,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromMinutes(10) },
            ReplayHint = Seeds.Replay(seed, nameof(CarrierTests)),
        });
        cluster.JoinAll(Group);
        var interval = TimeSpan.FromSeconds(1.0 / PerSecond);
        cluster.Start(
            new SendPlan(0, Group, (int)(sending / interval), interval) { MinBytes = 1_000, MaxBytes = 1_000 });
        return cluster;
    }

    private static Figures Measure(SimulatedCluster cluster)
    {
        SimulatedGroup[] groups = [.. cluster.Nodes.Select(node => node.FindGroup(Group)!)];
        return new Figures(
            cluster.Checks.Budgets.DataBytes, cluster.Checks.Budgets.RepairBytes, groups.Sum(group => group.Delivered),
            new TimeSpan(groups.Sum(group => group.DeliveryTimes.Ticks)),
            cluster.Nodes.Sum(node => (long)node.Counters.PacketsDuplicate));
    }

    private readonly record struct Figures(long Data, long Repairs, long Delivered, TimeSpan Times, long Twice)
    {
        public TimeSpan Took => Times / Math.Max(1, Delivered);

        public static Figures operator -(Figures after, Figures before) => new(
            after.Data - before.Data, after.Repairs - before.Repairs, after.Delivered - before.Delivered,
            after.Times - before.Times, after.Twice - before.Twice);
    }
}
