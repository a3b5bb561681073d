using QuickSilver.Fuzz;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Targets;

namespace QuickSilver.Simulation.Tests.Fuzzing;

/// <summary>
/// Each decoder of what strangers send, fed with damaged copies of the real traffic of simulated clusters. The program
/// <c>QuickSilver.Fuzz</c> does the same for as long as one likes.
/// </summary>
public sealed class DecoderTests
{
    private const ulong Seed = 2026;
    private const long Inputs = 60_000;
    private static readonly List<FuzzTarget> Targets = FuzzTargets.All(Corpus.Collect(Seed));

    public static TheoryData<string> Names => [.. Targets.Select(target => target.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void ADecoderThrowsNothingAllocatesNoMoreThanItMayAndKeepsNothingItRefused(string name)
    {
        FuzzTarget target = Targets.Single(target => target.Name == name);
        FuzzResult result = FuzzRunner.Run(target, Inputs, Seed);
        Assert.True(result.Failure is null, $"seed {Seed}: {result.Failure}");
        // Damage that is always noticed at the first byte would test nothing behind it.
        Assert.InRange(result.Accepted, Inputs / 200, Inputs * 9 / 10);
    }
}
