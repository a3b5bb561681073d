using System.CommandLine;
using System.CommandLine.Parsing;
using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Bench.Streams;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// One receiver is stopped by a signal for a while, as by a debugger, a suspended machine or a long collection, and
/// goes on: what the others notice, how fast it is back, and that nothing is lost. The time has to be below the failure
/// timeout of ten seconds, else it is evicted.
/// </summary>
internal sealed class Freeze : IScenario
{
    private const double LongestFreeze = 9;

    private readonly Option<double> _freeze =
        new Option<double>("--freeze")
        {
            Description = "Seconds that the receiver is stopped.",
            DefaultValueFactory = _ => 2
        }.Above(0);
    private readonly StreamPlanOptions _stream = new(rate: 10_000, warmUp: 2, seconds: 8, fewestReceivers: 2);

    /// <inheritdoc/>
    public string Verb => "freeze";

    /// <inheritdoc/>
    public string Summary =>
        "One receiver is stopped for a while and goes on: what the others notice, and how fast it is back.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_freeze, .. _stream.All];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_freeze) > LongestFreeze)
            result.AddError($"--freeze is more than {LongestFreeze}: the receiver would be evicted.");
        if (result.ValueOrDefault(_stream.Seconds) < result.ValueOrDefault(_freeze) + 2)
        {
            result.AddError("--seconds is less than --freeze and two more.");
        }
        if (!OperatingSystem.IsLinux()) result.AddError("needs signals.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        StreamPlan plan = _stream.Plan(parsed);
        int repetitions = _stream.Repetitions(parsed);
        List<RunReport> runs = [];
        List<FreezeFindings> findings = [];
        for (int repetition = 1; repetition <= repetitions; repetition++)
        {
            double frozenAt = 0, thawedAt = 0;
            runs.Add(await plan.RunAsync(
                new RunReport
                {
                    Variant = Variant.QuickSilver.Text(),
                    OfferedRate = plan.Rate,
                    Repetition = repetition
                }, ct,
                    DisturbAsync));
            RunOutcome.Tell(runs[^1], runs.Count, repetitions);
            List<ProcessReport> receivers = [.. RunOutcome.Receivers(runs[^1])];
            if (receivers.Count > 1) findings.Add(FreezeFindings.Of(receivers[0], receivers[1..], frozenAt, thawedAt));

            async Task DisturbAsync(IReadOnlyList<RoleProcess> processes)
            {
                int frozen = processes.First(process => process.Order.Role == RoleKind.StreamReceiver).Id;
                await Task.Delay(TimeSpan.FromSeconds(plan.WarmUpSeconds + 1), ct);
                try
                {
                    frozenAt = Now();
                    Signals.Stop(frozen);
                    await Task.Delay(TimeSpan.FromSeconds(parsed.GetValue(_freeze)), ct);
                }
                finally
                {
                    // A process that is stopped could not end with its standard input.
                    Signals.Continue(frozen);
                    thawedAt = Now();
                }
            }
        }

        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("figure");
        foreach (string title in (string[])["median", "lowest", "highest"])
            table.AddColumn(new TableColumn(title).RightAligned());
        List<VariantSummary> summary =
        [
            Sum("messages/s to the slowest other receiver, before", finding => finding.RateBefore),
            Sum("messages/s to the slowest other receiver, during", finding => finding.RateDuring),
            Sum("longest pause of another receiver, ms", finding => finding.LongestPauseMilliseconds),
            Sum("from the thaw until it is as far as the others, ms", finding => finding.CatchUpMilliseconds),
        ];
        foreach (VariantSummary figure in summary)
            table.AddRow(figure.Figure, $"{figure.Median:N0}", $"{figure.Lowest:N0}", $"{figure.Highest:N0}");
        return new ScenarioOutcome(runs, summary, table);

        VariantSummary Sum(string figure, Func<FreezeFindings, double> of) =>
            VariantSummary.Of(Variant.QuickSilver.Text(), plan.Rate, figure, findings.Select(of));
    }

    private static double Now() => Stopwatch.GetTimestamp() * 1000.0 / Stopwatch.Frequency;
}
