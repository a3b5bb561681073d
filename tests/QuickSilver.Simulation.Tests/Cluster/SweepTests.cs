using System.Globalization;
using QuickSilver.Simulation.Tests.Marks;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>The ensemble: seeds over every kind of trouble that the generator knows. The environment says which;
/// <c>.ci/run nightly</c> takes thousands of fresh ones, and looks where none has looked before. A failure is saved,
/// and its message ends with the command that replays it.</summary>
public class SweepTests
{
    private const string FirstVariable = "QUICKSILVER_SEEDS_FROM";
    private const string CountVariable = "QUICKSILVER_SEEDS";
    private const string ReportVariable = "QUICKSILVER_REPORT";
    private const ulong UsualCount = 60;
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(9);

    [Fact]
    public void SeedsKeepEveryPromise()
    {
        ulong first = Number(FirstVariable) ?? 68_000;
        ulong count = Number(CountVariable) ?? UsualCount;
        EnsembleReport report = new Ensemble { Limit = Limit }.Run(first, count);
        if (Environment.GetEnvironmentVariable(ReportVariable) is { Length: > 0 } path)
            File.WriteAllText(path, report.ToString());
        TestContext.Current.TestOutputHelper?.WriteLine(report.ToString());
        Assert.True(report.Failures.Count == 0, report.ToString());
        Assert.True(report.Runs > 0, "no seed was run");
        if (report.Runs >= MarkQuota.EnoughRuns)
        {
            Assert.True(
                !MarkQuota.FindMissing(report.Marks).Any(),
                $"marks that no run has reached: {string.Join("; ", MarkQuota.FindMissing(report.Marks))}");
        }
    }

    private static ulong? Number(string variable) =>
        ulong.TryParse(
            Environment.GetEnvironmentVariable(variable), NumberStyles.None, CultureInfo.InvariantCulture,
            out ulong number)
            ? number
            : null;
}
