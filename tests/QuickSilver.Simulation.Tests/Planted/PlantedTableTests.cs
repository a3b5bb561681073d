using System.Globalization;
using System.Text;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>The page of planted defects is written from the defects.</summary>
public class PlantedTableTests
{
    private const string Variable = "QUICKSILVER_UPDATE_PLANTED";
    private const string Where = "bench/QuickSilver.Simulator/planted.md";

    [Fact]
    public void ThePageIsThatOfTheDefects()
    {
        string path = SourceTree.PathOf(Where);
        string page = Page();
        if (Environment.GetEnvironmentVariable(Variable) == "1") File.WriteAllText(path, page);
        Assert.True(
            File.Exists(path) && File.ReadAllText(path) == page,
            $"{Where} is not that of the planted defects. Run this test with {Variable}=1:\n"
            + $"{Variable}=1 dotnet test tests/QuickSilver.Simulation.Tests --filter {nameof(PlantedTableTests)}");
    }

    private static string Page()
    {
        var page = new StringBuilder(
            """
            # Planted defects

            A test writes this page from the defects in `tests/QuickSilver.Simulation.Tests/Planted/Defects`
            ([how they are used](../../docs/testing.md#breaking-it-on-purpose)).

            "Where" names the runs in which a defect is looked for, and "seeds" says within how many of them it must be
            found. "Found by" names the [invariants](../../docs/testing.md#invariants) that may find it, and "changed"
            the files that the defect changes. `ensemble` is the generator's, with 3 to 12 nodes and at most thirty
            seconds. `moves` are short, dense runs in which nodes join and leave. The other names are runs aimed at one
            kind of defect (`TargetedRun`), where random ones would need too many seeds: few have, say, the last packet
            of a stream lost everywhere.


            """);
        page.Append("| defect | where | seeds | found by | changed |\n|---|---|---|---|---|\n");
        foreach (PlantedDefect defect in PlantedDefect.All)
        {
            IEnumerable<string> files = defect.Patches.Select(patch => $"`{patch.File}`").Distinct();
            page.Append(CultureInfo.InvariantCulture, $"| {defect.Wrong} | {defect.Place} | {defect.Within} ");
            page.Append(
                CultureInfo.InvariantCulture,
                $"| {string.Join(", ", defect.Invariants)} | {string.Join(", ", files)} |\n");
        }
        return page.ToString();
    }
}
