using QuickSilver.Simulation.Tests.Planted.Targeted;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Clusters of several builds keep every promise while their nodes are replaced one by one.</summary>
public class MixedVersionTests
{
    private const ulong MostEvents = 20_000_000;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void AnOldNodeThatComesToSendIsReadByAllAndReadsAll(ulong seed) =>
        Check(RunExecution.Execute(MembershipRuns.OldNodeComesToSend(seed), MostEvents));

    /// <summary>Each node dies, and one of the new build takes its place, while others send.</summary>
    [Fact]
    public void ARollingUpgradeEndsInTheNewVersion()
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Seed = 7,
            Restarts = 5,
            NewestVersions = [2, 2, 2, 2, 2],
            ServerVersion = 3,
        });
        cluster.JoinAll("g");
        for (int machine = 0; machine < 5; machine++)
        {
            Assert.Equal(2, VersionOf(cluster, machine));
            for (int message = 0; message < 20; message++) cluster.On((machine + 1) % 5).Send("g", 500);
            cluster.Inject(new NodeUpgrade(cluster.Elapsed, TimeSpan.FromMilliseconds(50), machine, 3));
            cluster.RunFor(TimeSpan.FromMilliseconds(100));
            cluster.On(machine).Join("g");
            cluster.RunFor(TimeSpan.FromSeconds(5));
        }
        for (int machine = 0; machine < 5; machine++) Assert.Equal(3, VersionOf(cluster, machine));
        cluster.Settle(TimeSpan.FromSeconds(30));
    }

    [Fact]
    public void DrawnRunsAreOfSeveralBuilds()
    {
        RunSpec[] runs =
        [
            .. Enumerable.Range(1, 400).Select(static seed => RunGenerator.Generate((ulong)seed))
                .Where(static run => run.Faults.Any(static fault => fault is NodeUpgrade)),
        ];
        Assert.All(runs, static run => Assert.Contains(nameof(FaultKind.MixedVersions), run.Traits));
        Assert.Contains(runs, static run => run.Options.ServerVersion == 4);
        Assert.Contains(runs, static run => run.Options.NewestVersions.Distinct().Count() > 1);
        Assert.Contains(
            runs, static run => run.Faults.OfType<NodeUpgrade>().Any(fault => fault.Newest == 2));
    }

    private static int VersionOf(SimulatedCluster cluster, int machine) =>
        cluster.On(machine).Stack.Cluster.Own!.Version;

    private static void Check(RunResult result) => Assert.True(result.Violation is null, result.Violation?.ToString());
}
