using QuickSilver.Simulation.Tests.Scenarios;

namespace QuickSilver.Simulation.Tests.Cluster;

public class SweepTests
{
    [Fact]
    public void AllInvariantsHoldInTwoHundredClustersOfTwentyFive() =>
        Seeds.ForEach(Seeds.Range(1, 200), seed => RandomScenario.Make(seed, 25, nameof(AllInvariantsHoldInTwoHundredClustersOfTwentyFive)).Run());

    [Fact]
    public void AllInvariantsHoldInManySmallClusters() =>
        Seeds.ForEach(
            Seeds.Range(10_001, 400),
            seed => RandomScenario.Make(seed, 2 + (int)(seed % 6), nameof(AllInvariantsHoldInManySmallClusters)).Run());

    [Fact]
    public void AllInvariantsHoldWhileNodesJoinAndLeave() =>
        Seeds.ForEach(
            Seeds.Range(20_001, 400),
            seed => RandomScenario.MakeWithMoves(seed, 3 + (int)(seed % 12), nameof(AllInvariantsHoldWhileNodesJoinAndLeave)).Run());

    [Fact]
    public void AllInvariantsHoldWhenReceiversCrash() =>
        Seeds.ForEach(
            Seeds.Range(30_001, 300),
            seed => RandomScenario.MakeWithCrashes(seed, 4 + (int)(seed % 9), nameof(AllInvariantsHoldWhenReceiversCrash)).Run());
}
