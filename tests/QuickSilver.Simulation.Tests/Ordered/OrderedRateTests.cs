using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Stack;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Ordered;

/// <summary>A ring whose members are held back by the limit of packets, or whose sources never end: no turn of the
/// loop may last for ever, and a ring in which nobody may send rests.</summary>
public sealed class OrderedRateTests
{
    private const string Group = "ordered-state";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void ALoneMemberThatIsHeldBackGoesOn() => WithinAMinute(() =>
    {
        SimulatedCluster cluster = Make(nodes: 1, most: 100);
        cluster.Start(new SendPlan(0, Group, 1_000, TimeSpan.Zero));
        cluster.RunFor(2 * Second);
        Assert.InRange(cluster.MessagesDelivered, 200UL, 700UL);
        cluster.Settle(20 * Second);
        Assert.Equal(1_000UL, cluster.MessagesDelivered);
        cluster.Shutdown();
    });

    [Fact]
    public void ALoneMemberWhoseSourceNeverEndsHasTurnsThatDo() => WithinAMinute(() =>
    {
        SimulatedCluster cluster = Make(nodes: 1, most: 0);
        ulong before = cluster.Nodes[0].Loop.Turns;
        cluster.Nodes[0].PullEndlessly(Group, 1_000);
        cluster.RunFor(TimeSpan.FromMilliseconds(20));
        cluster.Nodes[0].PullEndlessly(Group, 0);
        ulong turns = cluster.Nodes[0].Loop.Turns - before;
        Assert.True(turns > 100, $"only {turns} turns in 20 ms");
        cluster.Settle(10 * Second);
        cluster.Shutdown();
    });

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void TheTokenRestsWhileTheOnlySenderIsHeldBack(int sender) => WithinAMinute(() =>
    {
        SimulatedCluster cluster = Make(nodes: 3, most: 20);
        cluster.RunFor(Second);
        ulong before = cluster.Nodes[0].Stack.Rooms.OrderedCounters.TokenVisits;
        cluster.Start(new SendPlan(sender, Group, 300, TimeSpan.Zero));
        cluster.RunFor(5 * Second);
        ulong visits = cluster.Nodes[0].Stack.Rooms.OrderedCounters.TokenVisits - before;
        Assert.InRange(visits, 50UL, 3_000UL);
        cluster.Settle(20 * Second);
        cluster.Shutdown();
    });

    // A turn that does not end ends no test either.
    private static void WithinAMinute(Action run) =>
        Assert.True(Task.Run(run).Wait(TimeSpan.FromMinutes(1)), "a turn of the loop does not end");

    private static SimulatedCluster Make(int nodes, double most)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = 1,
            Node = new NodeSettings
            {
                Dissemination = new DisseminationSettings { Rate = new RateSettings { Max = most } },
            },
            ReplayHint = Seeds.Replay(1, nameof(OrderedRateTests)),
        });
        cluster.JoinAll(Group);
        return cluster;
    }
}
