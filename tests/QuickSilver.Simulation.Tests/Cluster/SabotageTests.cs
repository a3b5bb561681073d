using QuickSilver.Protocol.Core;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>
/// Breaks the protocol on purpose, one defect at a time: an invariant must catch it within a stated number of seeds, on which the unbroken protocol
/// is clean. This is the measure of the
/// simulator itself: invariants that never fail prove nothing.
/// </summary>
public class SabotageTests
{
    private const ulong FirstSeed = 5001;
    private const int Nodes = 8;
    private const int MostSeeds = 10;

    [Fact]
    public void TheUnbrokenProtocolIsCleanOnTheSeedsOfTheBrokenOnes() =>
        Seeds.ForEach(
            [.. Enumerable.Range(0, MostSeeds).Select(index => FirstSeed + (ulong)index)],
            seed => RandomScenario.Make(seed, Nodes, nameof(SabotageTests)).Run());

    [Fact]
    public void AnAckBeforeTheStoreIsCaught() => IsCaught(Sabotage.AckBeforeStore, within: 3, "D5", "D7", "D8");

    [Fact]
    public void AnOffByOneInAnIntervalMergeIsCaught() => IsCaught(Sabotage.IntervalMerge, within: 3, "D7", "D8");

    [Fact]
    public void AWrongPartitionMapIsCaught() => IsCaught(Sabotage.PartitionMap, within: 1, "V3");

    [Fact]
    public void ASkippedMessageNumberIsCaught() => IsCaught(Sabotage.NumberSkipped, within: 3, "D5");

    [Fact]
    public void ADuplicateDeliveryIsCaught() => IsCaught(Sabotage.DuplicateDelivered, within: 5, "D2");

    [Fact]
    public void ACleanupThatIsTooEarlyIsCaught() => IsCaught(Sabotage.EarlyCleanup, within: 3, "D8");

    private static void IsCaught(Sabotage sabotage, int within, params string[] invariants)
    {
        for (int index = 0; index < within; index++)
        {
            ulong seed = FirstSeed + (ulong)index;
            Scenario scenario = RandomScenario.Make(seed, Nodes, nameof(SabotageTests));
            scenario = scenario with { Options = scenario.Options with { Sabotage = sabotage } };
            try
            {
                scenario.Run();
            }
            catch (InvariantViolationException violation)
            {
                Assert.Contains(violation.Invariant, invariants);
                TestContext.Current.TestOutputHelper?.WriteLine($"caught on seed {index + 1}: {violation.Message}");
                return;
            }
        }
        Assert.Fail($"{sabotage} was not caught within {within} seeds from {FirstSeed}");
    }
}
