using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Timed;

/// <summary>Who repairs, and what is not asked for.</summary>
public sealed class RepairTests
{
    private static readonly TimeSpan Frame = TimeSpan.FromMilliseconds(33);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void APartnerRepairsWhatTheSenderDoesNot(bool partners)
    {
        var settings = new TimedSettings { PartnersRepair = partners, TimeToLive = TimeSpan.FromSeconds(2) };
        SimulatedCluster cluster = TimedRun.Begin(4, seed: 31, settings);
        // Node 3 loses some packets of node 0, which does not hear of it: no repair of its own comes.
        TimeSpan at = cluster.Elapsed;
        var length = TimeSpan.FromSeconds(30);
        cluster.Inject(new KindLoss(at, length, DatagramKind.TimedNak, int.MaxValue, From: null, To: 0));
        cluster.Inject(new KindLoss(at, length, DatagramKind.TimedAsk, int.MaxValue, From: null, To: 0));
        cluster.Inject(new KindLoss(at, TimeSpan.FromSeconds(1), DatagramKind.TimedData, 5, From: 0, To: 3));
        cluster.Start(new SendPlan(0, TimedRun.Group, 60, Frame));
        cluster.RunFor(TimeSpan.FromSeconds(8));

        Assert.Equal(partners ? 60 : 55, TimedRun.Got(cluster, 3, 0));
        Assert.Equal(partners, TimedRun.Sum(cluster, static counters => counters.PartnerRepairs) >= 5);
        Assert.Equal(0UL, TimedRun.Sum(cluster, static counters => counters.Repairs));
        cluster.Shutdown();
    }

    [Fact]
    public void WhatCannotComeInTimeIsNotAskedFor()
    {
        // A round trip takes 20 ms; a fifth of the messages is worth less.
        var settings = new TimedSettings { TimeToLive = TimeSpan.FromMilliseconds(15), Grace = TimeSpan.Zero };
        var link = new LinkModel { Delay = TimeSpan.FromMilliseconds(10), Loss = 0.2 };
        SimulatedCluster cluster = TimedRun.Begin(3, seed: 32, settings, link);
        cluster.Start(new SendPlan(0, TimedRun.Group, 300, Frame));
        cluster.RunFor(TimeSpan.FromSeconds(14));
        ulong asked = TimedRun.Sum(cluster, static counters => counters.NaksSent);
        ulong spared = TimedRun.Sum(cluster, static counters => counters.TooLateToAsk);

        Assert.True(spared > 50, $"{spared} packets were not asked for");
        Assert.True(asked < spared, $"{asked} requests, {spared} packets were not asked for");
        cluster.Shutdown();
    }

    [Fact]
    public void NobodyAsksOnceTheTimeIsOver()
    {
        var settings = new TimedSettings { TimeToLive = TimeSpan.FromMilliseconds(500), PartnersRepair = false };
        SimulatedCluster cluster = TimedRun.Begin(3, seed: 33, settings);
        // No repair arrives, so members ask until the time is over.
        cluster.Inject(new KindLoss(
            cluster.Elapsed, TimeSpan.FromMinutes(1), DatagramKind.TimedRepair, int.MaxValue, null, null));
        cluster.Inject(new KindLoss(
            cluster.Elapsed, TimeSpan.FromSeconds(1), DatagramKind.TimedData, 4, From: 0, To: null));
        cluster.Start(new SendPlan(0, TimedRun.Group, 20, Frame));
        cluster.RunFor(TimeSpan.FromSeconds(4));
        ulong asked = TimedRun.Sum(cluster, static counters => counters.NaksSent);
        cluster.RunFor(TimeSpan.FromSeconds(10));

        Assert.True(asked > 0);
        Assert.Equal(asked, TimedRun.Sum(cluster, static counters => counters.NaksSent));
        Assert.Equal(4UL, TimedRun.Sum(cluster, static counters => counters.Expired));
        cluster.Shutdown();
    }

    [Fact]
    public void RepairsHaveAtMostHalfOfTheRate()
    {
        // What is sent nearly fills the rate; with half of all lost, repairs must not take it from new messages.
        var settings = new TimedSettings { BytesPerSecond = 64_000, TimeToLive = TimeSpan.FromSeconds(1) };
        SimulatedCluster cluster = TimedRun.Begin(4, seed: 34, settings, new LinkModel { Loss = 0.5 });
        cluster.Start(new SendPlan(0, TimedRun.Group, 300, Frame) { MinBytes = 800, MaxBytes = 800 });
        cluster.RunFor(TimeSpan.FromSeconds(10));
        TimedCounters sender = TimedRun.CountersOf(cluster, 0);

        // 300 messages in 10 s: all left in time, whatever was asked for.
        Assert.InRange(sender.MessagesSent, 295UL, 300UL);
        Assert.True(sender.Repairs > 50);
        Assert.True(sender.Repairs * 880 <= 10.5 * 32_000 + 40_000, $"{sender.Repairs} repairs");
        cluster.Shutdown();
    }

    [Fact]
    public void AFeedIsAskedWhenTheBucketOpens()
    {
        // Ten messages a second may leave; hundreds are waiting with their source meanwhile.
        var settings = new TimedSettings { MessagesPerSecond = 10, BurstPackets = 1 };
        SimulatedCluster cluster = TimedRun.Begin(3, seed: 35, settings);
        cluster.Start(new SendPlan(0, TimedRun.Group, 200, TimeSpan.FromMilliseconds(1)) { Pulled = true });
        cluster.RunFor(TimeSpan.FromSeconds(3));

        Assert.InRange(TimedRun.CountersOf(cluster, 0).MessagesSent, 28UL, 32UL);
        Assert.InRange(cluster.Nodes[0].FindGroup(TimedRun.Group)!.Waiting, 168, 172);
        TimeSpan age = cluster.Nodes[1].FindGroup(TimedRun.Group)!.DeliveryTimes
            / cluster.Nodes[1].FindGroup(TimedRun.Group)!.Delivered;
        Assert.True(age < TimeSpan.FromMilliseconds(5), $"a message was {age} old when it was delivered");
        cluster.Shutdown();
    }
}
