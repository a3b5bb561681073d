using QuickSilver.Fuzz;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Worlds;

namespace QuickSilver.Simulation.Tests.Fuzzing;

/// <summary>What has a memory, beside damaged copies of what it is told: a membership server, an agent, and whole
/// nodes.</summary>
public sealed class WorldTests
{
    private const ulong Seed = 2026;

    // In this one a token named a million packets as missing, and the node that it visited did nothing else any more.
    private const ulong SeedOfEndlessNaks = 6;

    private static readonly Corpus Traffic = Corpus.Collect(Seed);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WhoBreaksTheFormatOfTheMembershipIsPutOutAndDisturbsNobodyElse(bool upwards)
    {
        FuzzResult result = new ServerWorld(upwards, Traffic.AllFrames, Seed).Run("membership", 8_000);
        Assert.True(result.Failure is null, $"seed {Seed}: {result.Failure}");
        Assert.InRange(result.Accepted, 100, 4_000);
    }

    [Fact]
    public void DamageThatAChecksumNoticesChangesNothingAtANode()
    {
        FuzzResult result = new NodeWorld(lies: false, Traffic.AllDatagrams, Seed).Run("node", 5_000);
        Assert.True(result.Failure is null, result.Failure);
    }

    [Theory]
    [InlineData(SeedOfEndlessNaks)]
    [InlineData(Seed)]
    public void ANodeSurvivesLiesWithTheRightChecksums(ulong seed)
    {
        FuzzResult result = new NodeWorld(lies: true, Traffic.AllDatagrams, seed).Run("lies", 1);
        Assert.True(result.Failure is null, result.Failure);
    }
}
