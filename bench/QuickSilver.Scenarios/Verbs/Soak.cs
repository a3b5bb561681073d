using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// One sender at full speed for long: what every process holds, second by second, with full collections forced on all
/// of them on the way. Memory is flat when its last quarter is not above its second; the first is warming up. That
/// nothing is lost is verified as in any run.
/// </summary>
internal sealed class Soak : IScenario
{
    private const double Mebi = 1 << 20;

    private readonly TrafficOptions _options = new(Variant.QuickSilver) { Repetitions = 1 };

    private readonly Option<double> _collect = new Option<double>("--collect")
    {
        Description = "Seconds between forced full collections in every process; 0: none.",
        DefaultValueFactory = _ => 10,
    }.AtLeast(0);

    /// <inheritdoc/>
    public string Verb => "soak";

    /// <inheritdoc/>
    public string Summary =>
        "Full speed for long, with forced collections: memory second by second, and that nothing is lost.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_collect, .. _options.All];

    /// <inheritdoc/>
    public void Validate(CommandResult result) => _options.Validate(result);

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        TrafficPlan plan = _options.Read(
            parsed) with
        { NotesMemory = true, CollectSeconds = parsed.GetValue(_collect) };
        List<RunReport> runs = await plan.RunAsync([0], ct);
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("process");
        string[] titles =
        [
            "messages/s", "resident MiB, 2nd quarter", "last quarter", "highest", "heap MiB, last quarter",
            "collections", "longest ms",
        ];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        List<VariantSummary> summary = [];
        foreach (RunReport run in runs)
        {
            foreach (ProcessReport process in run.Processes)
            {
                if (process.Memory is not { Count: >= 4 } samples) continue;
                double early = Resident(samples, 1), late = Resident(samples, 3);
                summary.Add(
                    VariantSummary.Of(process.Process, 0, "resident memory, last quarter to second", [late / early]));
                table.AddRow(
                    process.Process,
                    $"{process.Rate:N0}",
                    $"{early / Mebi:N1}",
                    $"{late / Mebi:N1}",
                    $"{samples.Max(sample => sample.ResidentBytes) / Mebi:N1}",
                    $"{Quarter(samples, 3).Average(sample => sample.HeapBytes) / Mebi:N1}",
                    $"{process.ForcedCollections}",
                    $"{process.LongestCollectionMillis:N1}");
            }
        }
        return new ScenarioOutcome(runs, summary, table);
    }

    private static double Resident(IReadOnlyList<MemorySample> samples, int quarter) =>
        Quarter(samples, quarter).Average(sample => sample.ResidentBytes);

    private static IEnumerable<MemorySample> Quarter(IReadOnlyList<MemorySample> samples, int quarter) =>
        samples.Skip(samples.Count * quarter / 4)
            .Take((samples.Count * (quarter + 1) / 4) - (samples.Count * quarter / 4));
}
