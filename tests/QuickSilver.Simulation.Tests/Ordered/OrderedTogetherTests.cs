using QuickSilver.Protocol.Ordering;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Ordered;

/// <summary>Messages to several ordered groups at once. Invariant O8 looks at each delivery.</summary>
public sealed class OrderedTogetherTests
{
    private const string Accounts = "ordered-accounts";
    private const string Audit = "ordered-audit";
    private const string Mail = "ordered-mail";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Millisecond = TimeSpan.FromMilliseconds(1);

    /// <summary>Members of both groups, of one, and of none; messages of one packet and of several.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void MembersDeliverThemInEachOfTheirGroupsAtOnePlace(bool isSafe) => Seeds.ForEach(Seeds.Range(1, 8), seed =>
    {
        SimulatedCluster cluster = Make(seed, isSafe);
        Send(cluster, 0, Accounts, Audit);
        Send(cluster, 1, Audit, Mail);
        cluster.Start(new SendPlan(1, Audit, 100, Millisecond));
        cluster.Start(new SendPlan(4, Accounts, 100, Millisecond));
        cluster.Settle(30 * Second);
        Assert.Equal((200, 300, 100), (
            cluster.On(0).FindGroup(Accounts)!.Delivered,
            cluster.On(2).FindGroup(Audit)!.Delivered,
            cluster.On(3).FindGroup(Mail)!.Delivered));
        // Nodes 0 and 2 are in two groups of the first plan; nodes 1 and 3 in two of the second.
        Assert.Equal(400UL, cluster.Marks[TogetherChecks.DeliveredMark]);
        cluster.Shutdown();
    });

    /// <summary>Who goes on has a message in all of its groups, or is told in all that it is lost.</summary>
    [Fact]
    public void WhatADeadSenderLeavesIsInAllGroupsOrNone()
    {
        ulong lost = 0;
        Seeds.ForEach(Seeds.Range(1, 24), seed =>
        {
            SimulatedCluster cluster = Make(seed, isSafe: seed % 2 == 0);
            cluster.Inject(new LossBurst(cluster.Elapsed, Second, 0, null, 0.7));
            cluster.Start(new SendPlan(0, Accounts, 400, Millisecond / 20) { MaxBytes = 1_300, Also = [Audit] });
            Send(cluster, 1, Audit, Mail);
            cluster.RunFor((10 + (4 * (seed % 24))) * Millisecond);
            cluster.On(0).Crash();
            cluster.RunFor(30 * Second);
            cluster.Settle(10 * Second);
            Interlocked.Add(ref lost, cluster.Marks.GetValueOrDefault(TogetherChecks.LostMark));
            cluster.Shutdown();
        });
        Assert.True(lost > 0, "some messages are lost with their sender");
    }

    /// <summary>A message waits for the step in which its sender is in all groups, and those behind it wait.</summary>
    [Fact]
    public void AMessageToAGroupThatIsJustJoinedWaitsForItsStep() => Seeds.ForEach(Seeds.Range(1, 8), seed =>
    {
        for (int wait = 0; wait < 30; wait += 2)
        {
            SimulatedCluster cluster = Make(seed, isSafe: false, slow: true);
            cluster.On(0).Join(Mail);
            cluster.RunFor(wait * Millisecond);
            cluster.On(0).SendTogether([Accounts, Mail], 100);
            cluster.On(0).SendTogether([Accounts, Audit], 100);
            cluster.RunFor(Second);
            cluster.Settle(10 * Second);
            SimulatedGroup accounts = cluster.On(2).FindGroup(Accounts)!;
            Assert.Equal(2, accounts.Delivered);
            cluster.Shutdown();
        }
    });

    /// <summary>One whose sender leaves a group before it is taken goes to none.</summary>
    [Fact]
    public void AMessageToAGroupThatIsLeftGoesToNone() => Seeds.ForEach(Seeds.Range(1, 8), seed =>
    {
        SimulatedCluster cluster = Make(seed, isSafe: false);
        cluster.On(0).Leave(Audit);
        cluster.On(0).SendTogether([Accounts, Audit], 100);
        cluster.RunFor(Second);
        cluster.Settle(10 * Second);
        Assert.Equal(0, cluster.On(2).FindGroup(Accounts)!.Delivered);
        Assert.Equal(0, cluster.On(2).FindGroup(Audit)!.Delivered);
        cluster.Shutdown();
    });

    private static void Send(SimulatedCluster cluster, int node, string group, string also) =>
        cluster.Start(new SendPlan(node, group, 100, Millisecond)
        {
            MinBytes = 0,
            MaxBytes = 4_000,
            Also = [also],
        });

    // Nodes 0 and 2 are in accounts and audit, 1 and 3 in audit and mail, 4 in accounts.
    private static SimulatedCluster Make(ulong seed, bool isSafe, bool slow = false)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Seed = seed,
            Ordered = new OrderedSettings { IsSafe = isSafe },
            MembershipLink = new MembershipLinkModel { Delay = (slow ? 8 : 1) * Millisecond },
            ReplayHint = Seeds.Replay(seed, nameof(OrderedTogetherTests)),
        });
        foreach (int index in new[] { 0, 2 }) cluster.On(index).Join(Accounts, Audit);
        foreach (int index in new[] { 1, 3 }) cluster.On(index).Join(Audit, Mail);
        cluster.On(4).Join(Accounts);
        cluster.RunFor(2 * Second);
        return cluster;
    }
}
