using QuickSilver.Simulation.Tests.Scenarios;

namespace QuickSilver.Simulation.Tests.Cluster;

public class SweepTests
{
    [Fact]
    public void AllInvariantsHoldInTwoHundredClustersOfTwentyFive() =>
        Seeds.ForEach(Seeds.Range(1, 200), seed => RandomScenario.Make(seed, 25, nameof(AllInvariantsHoldInTwoHundredClustersOfTwentyFive)).Run());

    [Fact]
    public void AllInvariantsHoldInManySmallClusters() =>
        Seeds.ForEach(Seeds.Range(1001, 200), seed => RandomScenario.Make(seed, 2 + (int)(seed % 6), nameof(AllInvariantsHoldInManySmallClusters)).Run());
}
