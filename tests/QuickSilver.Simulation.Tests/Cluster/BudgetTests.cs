using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>R2 and R5: what recovery may cost, and that nothing stays bad when what was bad is over.</summary>
public class BudgetTests
{
    private const string Group = "group";
    private const int Bytes = 1_000;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(4);

    [Theory]
    [InlineData(1, 0.01)]
    [InlineData(2, 0.05)]
    [InlineData(3, 0.15)]
    public void RepairsCostAtMostThreeTimesWhatWasLost(ulong seed, double loss)
    {
        SimulatedCluster cluster = Run(seed, loss, sending: TimeSpan.FromSeconds(8), time: TimeSpan.FromSeconds(8));
        cluster.Settle(TimeSpan.FromSeconds(30));
        long repaired = cluster.Checks.Budgets.RepairBytes, lost = cluster.NetworkCounters.PacketBytesTroubled;
        long window = cluster.Options.Network.ReceiveBufferBytes / 2;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"lost {lost} bytes, repaired with {repaired}, control {cluster.Checks.Budgets.ControlBytes}");
        Assert.True(lost > 0, "nothing was lost");
        Assert.True(
            repaired <= (3 * lost) + window,
            $"seed {seed}: {lost} bytes were lost, and {repaired} sent to repair them");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void TenSecondsAfterTheLastFaultAllIsAsBefore(ulong seed)
    {
        SimulatedCluster cluster = Run(
            seed, loss: 0.01, sending: TimeSpan.FromSeconds(40), time: TimeSpan.FromSeconds(5));
        (double rate, TimeSpan took) before = Measure(cluster);
        TimeSpan now = cluster.Elapsed;
        cluster.Inject(new LossBurst(now, TimeSpan.FromSeconds(1), null, 3, 1));
        cluster.Inject(new NodeFreeze(now + TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), 2));
        cluster.Inject(new LossBurst(now + TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(1), null, null, 0.5));
        cluster.RunFor(TimeSpan.FromSeconds(4 + 10));
        (double rate, TimeSpan took) after = Measure(cluster);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{before.rate:F0}/s in {before.took.TotalMilliseconds:F2} ms before, "
            + $"{after.rate:F0}/s in {after.took.TotalMilliseconds:F2} ms after");
        Assert.True(
            after.rate >= 0.95 * before.rate,
            $"seed {seed}: {before.rate:F0} deliveries a second before, {after.rate:F0} after");
        Assert.True(
            after.took <= (1.2 * before.took) + TimeSpan.FromMilliseconds(1),
            $"seed {seed}: a message took {before.took} before, {after.took} after");
    }

    private static SimulatedCluster Run(ulong seed, double loss, TimeSpan sending, TimeSpan time)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 8,
            Seed = seed,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromSeconds(60) },
        });
        cluster.JoinAll(Group);
        int count = (int)(sending / Interval);
        for (int node = 0; node < 2; node++)
            cluster.Start(new SendPlan(node, Group, count, Interval) { MinBytes = Bytes, MaxBytes = Bytes });
        cluster.RunFor(time);
        return cluster;
    }

    // Deliveries per second at all nodes, and the mean time from admission to delivery.
    private static (double Rate, TimeSpan Took) Measure(SimulatedCluster cluster)
    {
        TimeSpan length = TimeSpan.FromSeconds(4);
        (long delivered, TimeSpan times) = Sum(cluster);
        cluster.RunFor(length);
        (long later, TimeSpan laterTimes) = Sum(cluster);
        return ((later - delivered) / length.TotalSeconds, (laterTimes - times) / Math.Max(1, later - delivered));
    }

    private static (long Delivered, TimeSpan Times) Sum(SimulatedCluster cluster)
    {
        long delivered = 0;
        TimeSpan times = TimeSpan.Zero;
        foreach (SimulatedGroup session in cluster.Nodes.SelectMany(node => node.Groups))
        {
            delivered += session.Delivered;
            times += session.DeliveryTimes;
        }
        return (delivered, times);
    }
}
