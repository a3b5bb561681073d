using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>A member to which control comes and packets do not, by any way: what it asks must not cost the
/// others.</summary>
public sealed class RepairStormTests
{
    private const string Group = "g";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(50)]
    [InlineData(500)]
    public void AMemberThatGetsNoPacketsCostsATrickleOfRepairs(int perSecond)
    {
        SimulatedCluster cluster = Make(perSecond, 22 * Second);
        cluster.RunFor(2 * Second);
        TimeSpan outage = 20 * Second;
        foreach (DatagramKind kind in (DatagramKind[])[DatagramKind.Data, DatagramKind.Repair])
            cluster.Inject(new KindLoss(cluster.Elapsed, outage, kind, int.MaxValue, null, 2));
        cluster.RunFor(outage / 2);
        long repairs = cluster.Checks.Budgets.RepairBytes;
        long healthy = cluster.Nodes[1].FindGroup(Group)!.Delivered;
        cluster.RunFor(outage / 2);

        double perSecondRepaired = (cluster.Checks.Budgets.RepairBytes - repairs) / 1_100.0 / (outage / 2).TotalSeconds;
        double share = 100 * perSecondRepaired / perSecond;
        healthy = cluster.Nodes[1].FindGroup(Group)!.Delivered - healthy;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{perSecond}/s: {perSecondRepaired:F0} repairs/s, {share:F0} % of data; a healthy member got {healthy} "
                + $"messages");
        Assert.Equal(perSecond * (outage / 2).TotalSeconds, healthy, tolerance: perSecond);
        TimeSpan start = cluster.Elapsed;
        cluster.Settle(10 * Second);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"all was delivered {cluster.Elapsed - start} after the outage");
        Assert.True(perSecondRepaired < 50, $"{perSecondRepaired:F0} repairs/s");
        cluster.Shutdown();
    }

    private static SimulatedCluster Make(int perSecond, TimeSpan sending)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = 1,
            Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromMinutes(10) },
            ReplayHint = Seeds.Replay(1, nameof(RepairStormTests)),
        });
        cluster.JoinAll(Group);
        var interval = TimeSpan.FromSeconds(1.0 / perSecond);
        cluster.Start(
            new SendPlan(0, Group, (int)(sending / interval), interval) { MinBytes = 1_000, MaxBytes = 1_000 });
        return cluster;
    }
}
