using QuickSilver.Protocol.Timed;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Timed;

/// <summary>What a timed group delivers, in whole clusters.</summary>
public sealed class TimedDeliveryTests
{
    private static readonly TimeSpan Frame = TimeSpan.FromMilliseconds(33);

    [Fact]
    public void WithoutLossEveryMessageArrivesAndNothingIsAskedFor()
    {
        SimulatedCluster cluster = TimedRun.Begin(5, seed: 1);
        for (int node = 0; node < 5; node++) cluster.Start(new SendPlan(node, TimedRun.Group, 60, Frame));
        cluster.RunFor(TimeSpan.FromSeconds(4));

        for (int node = 0; node < 5; node++)
        {
            for (int sender = 0; sender < 5; sender++) Assert.Equal(60, TimedRun.Got(cluster, node, sender));
        }
        Assert.Equal(0UL, TimedRun.Sum(cluster, static counters => counters.NaksSent));
        Assert.Equal(0UL, TimedRun.Sum(cluster, static counters => counters.Expired));
        cluster.Shutdown();
    }

    [Theory]
    [InlineData(0.05)]
    [InlineData(0.2)]
    [InlineData(0.5)]
    public void WithLossEveryMessageStillArrivesInTime(double loss)
    {
        SimulatedCluster cluster = TimedRun.Begin(4, seed: 2, link: new LinkModel { Loss = loss });
        for (int node = 0; node < 4; node++) cluster.Start(new SendPlan(node, TimedRun.Group, 90, Frame));
        cluster.RunFor(TimeSpan.FromSeconds(10));

        ulong expired = TimedRun.Sum(cluster, static counters => counters.Expired);
        ulong delivered = TimedRun.Sum(cluster, static counters => counters.Messages);
        Assert.Equal(4UL * 4 * 90, expired + delivered);
        Assert.True(expired <= delivered / 50, $"{expired} of {delivered} messages expired");
        cluster.Shutdown();
    }

    [Fact]
    public void AMessageOfEightyFragmentsArrivesUnderLoss()
    {
        SimulatedCluster cluster = TimedRun.Begin(4, seed: 3, link: new LinkModel { Loss = 0.2, Reordering = 0.3 });
        var interval = TimeSpan.FromMilliseconds(200);
        cluster.Start(new SendPlan(0, TimedRun.Group, 5, interval) { MinBytes = 80_000, MaxBytes = 80_000 });
        cluster.RunFor(TimeSpan.FromSeconds(8));

        for (int node = 1; node < 4; node++) Assert.Equal(5, TimedRun.Got(cluster, node, 0));
        Assert.True(TimedRun.CountersOf(cluster, 1).Joined == 5);
        cluster.Shutdown();
    }

    [Fact]
    public void ASenderKilledInMidStreamLeavesOthersUntouched()
    {
        SimulatedCluster cluster = TimedRun.Begin(6, seed: 4, link: new LinkModel { Loss = 0.02 });
        for (int node = 0; node < 6; node++) cluster.Start(new SendPlan(node, TimedRun.Group, 200, Frame));
        cluster.Inject(new NodeCrash(cluster.Elapsed + TimeSpan.FromSeconds(2), 5));
        cluster.RunFor(TimeSpan.FromSeconds(25));

        for (int node = 0; node < 5; node++)
        {
            for (int sender = 0; sender < 5; sender++) Assert.Equal(200, TimedRun.Got(cluster, node, sender));
            Assert.InRange(TimedRun.Got(cluster, node, 5), 50, 62);
        }
        cluster.Shutdown();
    }

    [Fact]
    public void MemoryStaysTheSameUnderHalfOfAllDatagramsLost()
    {
        SimulatedCluster cluster = TimedRun.Begin(4, seed: 5, link: new LinkModel { Loss = 0.5 });
        for (int node = 0; node < 4; node++) cluster.Start(new SendPlan(node, TimedRun.Group, 1_500, Frame));
        long MostHeld(int seconds)
        {
            long most = 0;
            for (int look = 0; look < seconds * 10; look++)
            {
                cluster.RunFor(TimeSpan.FromMilliseconds(100));
                most = Math.Max(most, cluster.Nodes.Max(node => node.Stack.Rooms.TimedCounters.HeldBytes));
            }
            return most;
        }
        cluster.RunFor(TimeSpan.FromSeconds(5));
        long early = MostHeld(15);
        long late = MostHeld(15);

        Assert.True(late <= early * 1.2, $"{late} bytes held later, {early} before");
        cluster.Shutdown();
    }

    [Fact]
    public void AMemberStartsWithTheStepOfItsJoin()
    {
        SimulatedCluster cluster = TimedRun.Begin(
            4, seed: 6, link: new LinkModel { Loss = 0.3 }, with: static options => options with { Absent = [] });
        cluster.Nodes[3].Leave(TimedRun.Group);
        cluster.RunFor(TimeSpan.FromSeconds(3));
        cluster.Start(new SendPlan(0, TimedRun.Group, 400, TimeSpan.FromMilliseconds(10)));
        cluster.RunFor(TimeSpan.FromSeconds(1));
        cluster.Await(cluster.Nodes[3].Join(TimedRun.Group));
        cluster.RunFor(TimeSpan.FromSeconds(12));

        List<ulong> got = [.. cluster.Nodes[3].FindGroup(TimedRun.Group)!.Received.Select(message => message.Number)];
        Assert.Equal(400UL, got[^1]);
        Assert.Equal((int)(400 - got[0] + 1), got.Count);
        cluster.Shutdown();
    }
}
