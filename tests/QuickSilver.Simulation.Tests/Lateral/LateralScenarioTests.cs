using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Modes;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Lateral;

/// <summary>Lateral groups in whole clusters: what is lost is recovered, whatever the groups are.</summary>
public sealed class LateralScenarioTests
{
    private const string One = "lateral-one";
    private const string Two = "lateral-two";
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(1, LateralCode.Field)]
    [InlineData(2, LateralCode.Field)]
    [InlineData(1, LateralCode.Xor)]
    public void WhatIsLostIsRecoveredByRepairsOfOtherReceivers(ulong seed, Enum code)
    {
        var settings = new LateralSettings { Code = (LateralCode)code, RepairsPerPacket = 5 };
        SimulatedCluster cluster = Make(seed, 8, loss: 0.01, settings);
        foreach (SimulatedNode node in cluster.Nodes) cluster.Await(node.Join(node.Index % 2 == 0 ? One : Two));
        cluster.Await([.. cluster.Nodes.Where(static node => node.Index < 3).Select(
            static node => node.Join(node.Index % 2 == 0 ? Two : One))]);
        foreach (SimulatedNode node in cluster.Nodes)
        {
            string group = node.Index % 2 == 0 ? One : Two;
            cluster.Start(
                new SendPlan(node.Index, group, 400, TimeSpan.FromMilliseconds(5)) { MinBytes = 0, MaxBytes = 900 });
        }
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(Limit);

        LateralCounters sum = Sum(cluster);
        AssertAllDelivered(cluster);
        Assert.True(sum.PacketsRecovered > 50, $"{sum.PacketsRecovered} recovered");
        Assert.Equal(0UL, sum.PacketsDisproved);
        Assert.Equal(0UL, sum.MessagesLost);
        cluster.Shutdown();
    }

    [Theory]
    [InlineData(3)]
    [InlineData(4)]
    public void LongMessagesTravelInFragmentsEachOfThemRepaired(ulong seed)
    {
        SimulatedCluster cluster = Make(seed, 5, loss: 0.03);
        cluster.JoinAll(One);
        cluster.Start(
            new SendPlan(0, One, 60, TimeSpan.FromMilliseconds(10)) { MinBytes = 100, MaxBytes = 20_000 });
        cluster.Start(
            new SendPlan(1, One, 60, TimeSpan.FromMilliseconds(10)) { MinBytes = 100, MaxBytes = 20_000 });
        cluster.RunFor(TimeSpan.FromSeconds(2));
        cluster.Settle(Limit);

        AssertAllDelivered(cluster);
        cluster.Shutdown();
    }

    [Fact]
    public void TheLossOfALastMessageIsFoundByTheSendersReport()
    {
        SimulatedCluster cluster = Make(5, 4, loss: 0, new LateralSettings { RepairsPerPacket = 0 });
        cluster.JoinAll(One);
        TimeSpan soon = cluster.Elapsed + TimeSpan.FromMilliseconds(1);
        cluster.Inject(new LossBurst(soon, TimeSpan.FromMilliseconds(30), null, null, 1));
        cluster.Start(new SendPlan(0, One, 1, TimeSpan.Zero) { Start = TimeSpan.FromMilliseconds(10) });
        cluster.RunFor(TimeSpan.FromMilliseconds(400));

        Assert.All(cluster.Nodes, static node => Assert.Equal(1, node.FindGroup(One)!.Delivered));
        Assert.Equal(3UL, Sum(cluster).PacketsResent);
        cluster.Shutdown();
    }

    [Fact]
    public void ARareMessageIsRecoveredInTurnBeforeItsLossIsKnown()
    {
        SimulatedCluster cluster = Make(12, 8, loss: 0);
        cluster.JoinAll(One);
        // Only the way to one member loses packets.
        TimeSpan soon = cluster.Elapsed + TimeSpan.FromMilliseconds(1);
        cluster.Inject(new LossBurst(soon, TimeSpan.FromMilliseconds(20), null, 3, 1));
        cluster.Start(new SendPlan(0, One, 1, TimeSpan.Zero) { Start = TimeSpan.FromMilliseconds(10) });
        cluster.RunFor(TimeSpan.FromMilliseconds(85));

        Assert.All(cluster.Nodes, static node => Assert.Equal(1, node.FindGroup(One)!.Delivered));
        Assert.Equal(1UL, Sum(cluster).PacketsRecovered);
        Assert.Equal(0UL, Sum(cluster).PacketsResent);
        cluster.Shutdown();
    }

    [Fact]
    public void InOrderEachSendersMessagesComeInTheOrderOfItsSends()
    {
        SimulatedCluster cluster = Make(6, 6, loss: 0.05, new LateralSettings { InOrder = true });
        cluster.JoinAll(One);
        for (int node = 0; node < 3; node++)
            cluster.Start(new SendPlan(node, One, 300, TimeSpan.FromMilliseconds(3)) { MaxBytes = 500 });
        cluster.RunFor(TimeSpan.FromSeconds(2));
        cluster.Settle(Limit);

        AssertAllDelivered(cluster);
        foreach (SimulatedNode node in cluster.Nodes)
        {
            foreach (IGrouping<int, ReceivedMessage> sender in node.FindGroup(One)!.Received.GroupBy(m => m.Sender))
                Assert.Equal(sender.Select(m => m.Number).Order(), sender.Select(m => m.Number));
        }
        cluster.Shutdown();
    }

    [Fact]
    public void AJoinThatHasReturnedMissesNothingAndASessionTakesNothingOlder()
    {
        SimulatedCluster cluster = Make(7, 6, loss: 0.02);
        cluster.Await([.. cluster.Nodes.Where(static node => node.Index < 5).Select(static node => node.Join(One))]);
        cluster.Start(new SendPlan(0, One, 2000, TimeSpan.FromMilliseconds(2)));
        cluster.RunFor(TimeSpan.FromSeconds(1));
        SimulatedNode late = cluster.Nodes[5];
        SimulatedJoin join = late.Join(One);
        cluster.Await(join);
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(Limit);

        Assert.True(late.FindGroup(One)!.Delivered > 1000);
        cluster.Shutdown();
    }

    [Fact]
    public void WhatACrashedSenderLeftIsRecoveredFromOtherReceivers()
    {
        SimulatedCluster cluster = Make(8, 5, loss: 0.05);
        cluster.JoinAll(One);
        cluster.Start(new SendPlan(0, One, 500, TimeSpan.FromMilliseconds(1)));
        cluster.RunFor(TimeSpan.FromMilliseconds(400));
        cluster.Nodes[0].Crash();
        cluster.RunFor(TimeSpan.FromSeconds(20));

        long most = cluster.Nodes.Skip(1).Max(static node => node.FindGroup(One)!.Delivered);
        Assert.All(cluster.Nodes.Skip(1), node => Assert.InRange(node.FindGroup(One)!.Delivered, most - 3, most));
        cluster.Shutdown();
    }

    [Fact]
    public void AMessageThatNobodyHasIsReportedLostAtTheDeadline()
    {
        var settings = new LateralSettings { Deadline = TimeSpan.FromMilliseconds(300) };
        SimulatedCluster cluster = Make(9, 3, loss: 0, settings);
        cluster.JoinAll(One);
        cluster.Start(new SendPlan(0, One, 1, TimeSpan.Zero));
        cluster.RunFor(TimeSpan.FromMilliseconds(50));
        cluster.Inject(new LossBurst(cluster.Elapsed, TimeSpan.FromMilliseconds(20), null, null, 1));
        cluster.Start(new SendPlan(0, One, 1, TimeSpan.Zero) { Start = TimeSpan.FromMilliseconds(10) });
        cluster.RunFor(TimeSpan.FromMilliseconds(25));
        ((LateralEngine)cluster.Nodes[0].Stack.Rooms.Modes.Find(1)!).Parts.Cache.Close();
        cluster.Start(new SendPlan(0, One, 1, TimeSpan.Zero));
        cluster.RunFor(TimeSpan.FromSeconds(2));

        Assert.All(cluster.Nodes.Skip(1), static node =>
        {
            Assert.Equal(2, node.FindGroup(One)!.Delivered);
            Assert.Equal(1, node.FindGroup(One)!.Losses);
        });
        cluster.Settle(Limit);
        cluster.Shutdown();
    }

    [Fact]
    public void ASenderThatLeavesAndJoinsAgainReportsEachGroupOnce()
    {
        SimulatedCluster cluster = Make(11, 4, loss: 0);
        cluster.JoinAll(One);
        cluster.JoinAll(Two);
        for (int round = 0; round < 5; round++)
        {
            cluster.Start(new SendPlan(0, One, 2, TimeSpan.FromMilliseconds(1)));
            cluster.Start(new SendPlan(0, Two, 2, TimeSpan.FromMilliseconds(1)));
            cluster.RunFor(TimeSpan.FromMilliseconds(20));
            SimulatedLeave leave = cluster.Nodes[0].Leave(One);
            Assert.True(cluster.RunUntil(() => leave.IsCompleted, Limit));
            cluster.Await(cluster.Nodes[0].Join(One));
        }
        cluster.RunFor(TimeSpan.FromSeconds(5));

        cluster.Settle(Limit);
        cluster.Shutdown();
    }

    [Fact]
    public void ReliableGroupsBesideLateralOnesAreNotTouched()
    {
        SimulatedCluster cluster = Make(10, 6, loss: 0.02);
        cluster.JoinAll("news");
        cluster.JoinAll(One);
        for (int node = 0; node < 6; node++)
        {
            cluster.Start(new SendPlan(node, "news", 200, TimeSpan.FromMilliseconds(4)));
            cluster.Start(new SendPlan(node, One, 200, TimeSpan.FromMilliseconds(4)));
        }
        cluster.RunFor(TimeSpan.FromSeconds(2));
        cluster.Settle(Limit);

        AssertAllDelivered(cluster);
        Assert.All(cluster.Nodes, static node => Assert.Equal(1200, node.FindGroup("news")!.Delivered));
        cluster.Shutdown();
    }

    private static SimulatedCluster Make(ulong seed, int nodes, double loss, LateralSettings? settings = null)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            KeepsReceived = true,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
        });
        foreach (SimulatedNode node in cluster.Nodes) node.ModeSettings = settings;
        return cluster;
    }

    private static LateralCounters Sum(SimulatedCluster cluster)
    {
        var sum = new LateralCounters();
        foreach (SimulatedNode node in cluster.Nodes)
        {
            LateralCounters one = node.Stack.Rooms.LateralCounters;
            sum.PacketsRecovered += one.PacketsRecovered;
            sum.PacketsDisproved += one.PacketsDisproved;
            sum.PacketsResent += one.PacketsResent;
            sum.MessagesLost += one.MessagesLost;
        }
        return sum;
    }

    // Every member delivers the same number of messages of each group, and so all.
    private static void AssertAllDelivered(SimulatedCluster cluster)
    {
        foreach (string group in cluster.Nodes.SelectMany(static node => node.Groups).Select(g => g.Name).Distinct())
        {
            long[] delivered = [
                .. cluster.Nodes.Select(node => node.FindGroup(group)).OfType<SimulatedGroup>()
                    .Select(static session => session.Delivered)];
            Assert.True(delivered[0] > 0);
            Assert.All(delivered, one => Assert.Equal(delivered[0], one));
        }
    }
}
