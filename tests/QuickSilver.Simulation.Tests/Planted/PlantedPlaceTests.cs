using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>
/// A planted defect is alone: where it is looked for nothing else is wrong, neither in the protocol nor in how it is
/// compiled.
/// </summary>
public class PlantedPlaceTests
{
    private const int CleanSeeds = 3;

    public static TheoryData<string> Places => [.. PlantedPlace.All];

    [Theory]
    [MemberData(nameof(Places))]
    public void TheUnbrokenProtocolIsCleanThere(string place)
    {
        for (int index = 0; index < CleanSeeds; index++)
        {
            Violation? violation = PlantedPlace.Run(place, index);
            Assert.True(violation is null, $"seed {index + 1} of {place}: {violation?.Message}");
        }
    }

    [Fact(Explicit = true)]
    public void CopiesWithoutADefectAreClean()
    {
        var copies = BrokenCopies.WithNothing();
        foreach (string place in PlantedPlace.All)
        {
            string[]? violation = copies.Run(place, 0);
            Assert.True(violation is null, $"{place}: {violation?[1]}");
        }
    }

    [Fact]
    public void EveryPatchFitsItsFile()
    {
        string[] misfits = [.. PlantedDefect.All.Select(Misfit).OfType<string>()];
        Assert.True(misfits.Length == 0, string.Join('\n', misfits));
    }

    [Fact]
    public void NoTwoDefectsHaveOneName() => Assert.Distinct(PlantedDefect.All.Select(defect => defect.Name));

    private static string? Misfit(PlantedDefect defect)
    {
        try
        {
            foreach (IGrouping<string, SourcePatch> file in defect.Patches.GroupBy(patch => patch.File))
            {
                string text = File.ReadAllText(SourceFiles.Find(file.Key, defect.Name));
                foreach (SourcePatch patch in file) text = patch.Apply(text, defect.Name);
            }
            return null;
        }
        catch (Exception misfit) when (misfit is InvalidOperationException or IOException)
        {
            return misfit.Message;
        }
    }
}
