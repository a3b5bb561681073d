using System.Globalization;
using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>
/// Runs that planted defects make fail are cut down, by the simulator that stands on the broken protocol.
/// </summary>
public class PlantedShrinkingTests
{
    private const int FewFaults = 5;
    private const int FewNodes = 7;
    private const ulong MostSeeds = 60;

    /// <summary>Real time for the cutting down of one failure: generous, most take a second or two.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(2);

    /// <summary>Defects that are found in few seeds, by different invariants, in runs that are data.</summary>
    [Theory]
    [InlineData("PartitionMap")]
    [InlineData("AckBeforeStore", Explicit = true)]
    [InlineData("NumberSkipped", Explicit = true)]
    [InlineData("EarlyCleanup", Explicit = true)]
    [InlineData("PendingReleasedTwice", Explicit = true)]
    [InlineData("GapPassedTooEarly", Explicit = true)]
    public void AFailureIsCutDownToAFewFaultsAndNodes(string name)
    {
        PlantedDefect defect = PlantedDefect.Find(name);
        var copies = BrokenCopies.With(defect);
        int index = 0;
        while (copies.Run(defect.Place, index) is null) Assert.True(++index < defect.Within, $"{name} was not found");
        string[] left = copies.Shrink(defect.Place, index, Longest);
        TestContext.Current.TestOutputHelper?.WriteLine($"| {name} | {left[0]} | {left[1]} faults | {left[2]} nodes |");
        Assert.True(IsSmall(left), $"{name} was cut down to {left[1]} faults and {left[2]} nodes only");
    }

    /// <summary>
    /// A measurement: which defects the generator's runs find within sixty seeds, without aim, and how small the runs
    /// become.
    /// </summary>
    [Fact(Explicit = true)]
    [Trait("is", "measurement")]
    public void TheEnsembleAloneFindsMostDefects()
    {
        int found = 0, small = 0;
        foreach (PlantedDefect defect in PlantedDefect.All)
        {
            var copies = BrokenCopies.With(defect);
            ulong seed = 1;
            while (seed <= MostSeeds && (copies.Generate(seed) is null || !IsCleanWithoutDefect(seed))) seed++;
            string[]? left = seed > MostSeeds ? null : copies.ShrinkGenerated(seed, TimeSpan.FromSeconds(15));
            if (left is not null) found++;
            if (left is not null && IsSmall(left)) small++;
            string outcome = left is null ? "not found" : $"{left[0]} | {left[1]} faults | {left[2]} nodes";
            TestContext.Current.TestOutputHelper?.WriteLine($"| {defect.Name} | {seed} | {outcome} |");
        }
        int all = PlantedDefect.All.Count;
        TestContext.Current.TestOutputHelper?.WriteLine($"{found} of {all} found, {small} of them cut down to little");
        Assert.True(found > all / 2, $"only {found} of {all} defects were found");
    }

    private static bool IsCleanWithoutDefect(ulong seed) =>
        RunExecution.Execute(RunGenerator.Generate(seed)).Violation is null;

    private static bool IsSmall(string[] left) =>
        int.Parse(left[1], CultureInfo.InvariantCulture) <= FewFaults
        && int.Parse(left[2], CultureInfo.InvariantCulture) <= FewNodes;
}
