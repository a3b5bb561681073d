using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Longs;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>One long message to some receivers under loss: it arrives whole, and no end of it needs memory for its
/// length.</summary>
internal sealed class Long : IScenario
{
    private const double Mebibyte = 1 << 20;
    private const double MicrosPerSecond = 1e6;

    private readonly Option<string> _size = new("--size")
    { Description = "Bytes of the message: 5000, 64k, 100m, 1g.", DefaultValueFactory = _ => "1g" };
    private readonly Option<int> _receivers = new Option<int>("--receivers")
    { Description = "Receiver processes.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<double> _drop = new Option<double>("--drop")
    { Description = "Share of packets that each member loses.", DefaultValueFactory = _ => 0.01 }.AtLeast(0);
    private readonly Option<string> _growth = new("--most-growth")
    { Description = "Bytes by which no process may grow.", DefaultValueFactory = _ => "64m" };
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Repetitions.", DefaultValueFactory = _ => 1 }.AtLeast(1);
    private readonly Option<NetProfile> _net = NetOption.MakeForLoss();

    /// <inheritdoc/>
    public string Verb => "long";

    /// <inheritdoc/>
    public string Summary =>
        "One long message to some receivers, under loss: every byte is checked, memory is watched.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_size, _receivers, _drop, _growth, _repeat, _net];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        foreach (Option<string> option in (Option<string>[])[_size, _growth])
        {
            if (!ByteCount.TryParse(result.ValueOrDefault(option)!, out _))
                result.AddError($"{option.Name} is not a number of bytes.");
        }
        if (result.ValueOrDefault(_drop) >= 1) result.AddError("--drop is not a share.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        ByteCount.TryParse(parsed.GetValue(_size)!, out long bytes);
        ByteCount.TryParse(parsed.GetValue(_growth)!, out long growth);
        var plan = new LongPlan
        {
            Net = parsed.GetValue(_net),
            Receivers = parsed.GetValue(_receivers),
            Bytes = bytes,
            Drop = parsed.GetValue(_drop),
            MostGrowth = growth,
        };
        List<RunReport> runs = [];
        for (int repetition = 1; repetition <= parsed.GetValue(_repeat); repetition++)
        {
            runs.Add(await plan.RunAsync(
                new RunReport { Variant = Variant.QuickSilver.Text(), Repetition = repetition }, ct));
            RunOutcome.Tell(runs[^1], runs.Count, parsed.GetValue(_repeat));
        }
        return new ScenarioOutcome(runs, Summarize(runs), MakeTable(runs));
    }

    private static Table MakeTable(List<RunReport> runs)
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("process");
        string[] titles = [
            "seconds", "MB/s", "resident before, MiB", "highest", "after", "more at most", "CPU us/MB",
            "packets repaired for it"];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        foreach ((RunReport run, ProcessReport process, LongReport report) in Ends(runs))
        {
            table.AddRow(
                runs.Count > 1 ? $"{process.Process}, {run.Repetition}" : process.Process, $"{report.Seconds:N1}",
                $"{Rate(report):N1}", Mebibytes(report.BeforeBytes), Mebibytes(report.PeakBytes),
                Mebibytes(report.AfterBytes), Mebibytes(report.GrowthBytes),
                $"{process.CpuSeconds * MicrosPerSecond / (report.Bytes / 1e6):N0}",
                $"{process.RepairsFromPeers + process.RepairsFromSenders:N0}");
        }
        return table;
    }

    private static List<VariantSummary> Summarize(List<RunReport> runs) =>
    [
        .. Ends(runs).GroupBy(static end => end.Process.Process).SelectMany(static same => (VariantSummary[])[
            VariantSummary.Of(same.Key, 0, "MB/s", same.Select(static end => Rate(end.Report))),
            VariantSummary.Of(
                same.Key, 0, "more resident, MiB", same.Select(static end => end.Report.GrowthBytes / Mebibyte))]),
    ];

    private static IEnumerable<(RunReport Run, ProcessReport Process, LongReport Report)> Ends(List<RunReport> runs) =>
        from run in runs
        from process in run.Processes
        where process.Long is not null
        select (run, process, process.Long);

    private static double Rate(LongReport report) => report.Seconds > 0 ? report.Bytes / 1e6 / report.Seconds : 0;

    private static string Mebibytes(long bytes) => $"{bytes / Mebibyte:N1}";
}
