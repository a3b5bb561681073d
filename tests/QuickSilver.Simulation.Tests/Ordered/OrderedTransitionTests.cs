using QuickSilver.Protocol.Ordering;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Ordered;

/// <summary>Members of an ordered group that lose one of them are told who goes on together, before the messages that
/// those alone hold. The invariants O5 to O7 look at the place.</summary>
public sealed class OrderedTransitionTests
{
    private const string Group = "ordered-state";
    private const string Other = "ordered-other";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void SafeMessagesThatADeadMemberMayLackComeBehindATransitionalView() =>
        Seeds.ForEach(Seeds.Range(1, 8), static seed =>
        {
            SimulatedCluster cluster = Make(seed, isSafe: true);
            // A member of the ring alone: its death is no loss to the group.
            foreach (int index in new[] { 1, 2, 4 }) cluster.On(index).Join(Other);
            cluster.RunFor(Second);
            Crash(cluster, 3);
            SimulatedGroup[] left = [.. Enumerable.Range(0, 3).Select(index => cluster.On(index).FindGroup(Group)!)];
            Assert.All(left, static one => Assert.Single(one.Transitions));
            Assert.Single(left.Select(static one => one.Transitions[0]).Distinct());
            Assert.All(left, static one => Assert.True(one.Transitions[0] < one.Delivered, "messages follow"));
            foreach (int index in new[] { 1, 2, 4 })
                Assert.Empty(cluster.On(index).FindGroup(Other)!.Transitions);
            cluster.Shutdown();
        });

    [Fact]
    public void AgreedMessagesWithoutAHolePromiseNoLess() => Seeds.ForEach(Seeds.Range(1, 8), static seed =>
    {
        SimulatedCluster cluster = Make(seed, isSafe: false);
        cluster.RunFor(Second);
        Crash(cluster, 3);
        foreach (int index in new[] { 0, 1, 2 }) Assert.Empty(cluster.On(index).FindGroup(Group)!.Transitions);
        cluster.Shutdown();
    });

    // It may leave the ring before the others know that all hold what was sent in its view.
    [Fact]
    public void AMemberThatLeavesIsToldOfInOnePlace() => Seeds.ForEach(Seeds.Range(1, 8), static seed =>
    {
        SimulatedCluster cluster = Make(seed, isSafe: true);
        Send(cluster, Group);
        cluster.RunFor(Second / 10);
        cluster.On(3).Leave(Group);
        cluster.Settle(10 * Second);
        SimulatedGroup[] left = [.. Enumerable.Range(0, 3).Select(index => cluster.On(index).FindGroup(Group)!)];
        Assert.InRange(left[0].Transitions.Count, 0, 1);
        Assert.All(left, one => Assert.Equal(left[0].Transitions, one.Transitions));
        cluster.Shutdown();
    });

    private static void Crash(SimulatedCluster cluster, int index)
    {
        Send(cluster, Group);
        cluster.Start(new SendPlan(1, Other, 200, TimeSpan.FromMilliseconds(5)));
        cluster.RunFor(Second / 10);
        cluster.On(index).Crash();
        cluster.RunFor(30 * Second);
        cluster.Settle(10 * Second);
    }

    private static void Send(SimulatedCluster cluster, string group)
    {
        for (int index = 0; index < 3; index++)
            cluster.Start(new SendPlan(index, group, 400, TimeSpan.FromMilliseconds(0.5)));
    }

    private static SimulatedCluster Make(ulong seed, bool isSafe)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Seed = seed,
            Ordered = new OrderedSettings { IsSafe = isSafe },
            ReplayHint = Seeds.Replay(seed, nameof(OrderedTransitionTests)),
        });
        for (int index = 0; index < 4; index++) cluster.On(index).Join(Group);
        cluster.RunFor(5 * Second);
        return cluster;
    }
}
