using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Simulation.Tests.Scheduling;

public class SimulationRandomTests
{
    [Fact]
    public void ADecisionDependsOnItsNameOnly()
    {
        var one = new SimulationRandom(42);
        var other = new SimulationRandom(42);
        ulong expected = one.Draw(RandomStream.Loss, 3, 4, 5);
        for (ulong ordinal = 0; ordinal < 100; ordinal++) other.Draw(RandomStream.Delay, 1, 2, ordinal);
        Assert.Equal(expected, other.Draw(RandomStream.Loss, 3, 4, 5));
    }

    [Fact]
    public void EveryPartOfTheNameMatters()
    {
        ulong[] draws =
        [
            new SimulationRandom(1).Draw(RandomStream.Loss, 1, 2, 3),
            new SimulationRandom(2).Draw(RandomStream.Loss, 1, 2, 3),
            new SimulationRandom(1).Draw(RandomStream.Delay, 1, 2, 3),
            new SimulationRandom(1).Draw(RandomStream.Loss, 2, 1, 3),
            new SimulationRandom(1).Draw(RandomStream.Loss, 1, 3, 3),
            new SimulationRandom(1).Draw(RandomStream.Loss, 1, 2, 4),
        ];
        Assert.Equal(draws.Length, draws.Distinct().Count());
    }

    [Fact]
    public void UnitDrawsAreSpreadEvenly()
    {
        var random = new SimulationRandom(9);
        int[] buckets = new int[10];
        for (ulong ordinal = 0; ordinal < 100_000; ordinal++)
            buckets[(int)(random.DrawUnit(RandomStream.Loss, 1, 2, ordinal) * 10)]++;
        Assert.All(buckets, count => Assert.InRange(count, 9_500, 10_500));
    }
}
