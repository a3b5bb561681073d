using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;

namespace QuickSilver.Simulation.Tests.Cluster;

public class DeterminismTests
{
    [Fact]
    public void ASeedRunTwiceGivesTheSameTrace() => Seeds.ForEach(Seeds.Range(1, 10), seed =>
    {
        SimulatedCluster first = RandomScenario.Make(seed, 12, nameof(DeterminismTests)).Run();
        SimulatedCluster second = RandomScenario.Make(seed, 12, nameof(DeterminismTests)).Run();
        Assert.Equal(first.Trace.Count, second.Trace.Count);
        Assert.Equal(first.Trace.Checkpoints, second.Trace.Checkpoints);
        Assert.Equal(first.Trace.Value, second.Trace.Value);
        Assert.Equal(first.EventsExecuted, second.EventsExecuted);
    });

    [Fact]
    public void SeedsDifferInTheirTraces()
    {
        Scenario scenario = RandomScenario.Make(1, 5, nameof(DeterminismTests));
        ulong HashOf(int seed) =>
            (scenario with { Options = scenario.Options with { Seed = (ulong)seed } }).Run().Trace.Value;
        ulong[] hashes = [.. Enumerable.Range(1, 5).Select(HashOf)];
        Assert.Equal(5, hashes.Distinct().Count());
    }
}
