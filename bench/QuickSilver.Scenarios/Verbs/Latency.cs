using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// One sender at fixed rates. Every message is due at its own instant and its latency counts from there, whether or not
/// the sender was held up: no coordinated omission. The sender's own
/// lateness, which is the waking of its thread, is in the report beside it. A run's figure is its slowest receiver's.
/// <para>
/// All variants' methods are compiled once, as a service that cares for its tail has them: in tiers, what runs once or
/// twice a second is compiled again after half a minute, and then once more, while messages wait.
/// </para>
/// </summary>
internal sealed class Latency : IScenario
{
    private readonly TrafficOptions _options = new(Variant.QuickSilver, Variant.RawSingle) { TakesAgents = true };

    private readonly Option<double[]> _rates = new("--rate")
    {
        Description = "Messages a second; may be repeated. Default: 1000, 10000, 50000.",
        DefaultValueFactory = _ => [1000, 10_000, 50_000],
    };

    private readonly Option<bool> _tiered = new("--tiered")
    {
        Description = "Let the runtime compile in tiers, as it does unless told otherwise: its compiler holds messages "
            + "up for some two minutes.",
    };

    /// <inheritdoc/>
    public string Verb => "latency";

    /// <inheritdoc/>
    public string Summary =>
        "One sender at fixed rates to some receivers, from the instant a message was due to its handler, beside a raw "
            + "UDP multicast loop.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_rates, _tiered, .. _options.All];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        _options.Validate(result);
        if (result.ValueOrDefault(_rates).Any(rate => !(rate > 0))) result.AddError("--rate is not positive.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        await using AgentCluster? cluster = await _options.OpenAgentsAsync(parsed, ct);
        TrafficPlan plan = _options.Read(parsed) with
        {
            CompilesOnce = !parsed.GetValue(_tiered),
            Agents = cluster,
        };
        double[] rates = parsed.GetValue(_rates)!;
        List<RunReport> runs = await plan.RunAsync(rates, ct);
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("variant");
        foreach (string title in (string[])[
            "messages/s", "p50 us", "over unsecured", "p99 us (range)", "p99.9 us", "max us", "sender late, p50 us",
            "p99 us", "lost"])
        {
            table.AddColumn(new TableColumn(title).RightAligned());
        }
        List<VariantSummary> summary = [];
        foreach (double rate in rates)
        {
            foreach (TrafficVariant variant in plan.Variants)
            {
                List<RunReport> own = Of(variant);
                VariantSummary p50 = Summarize("p50 us", latency => latency.P50),
                    p99 = Summarize("p99 us", latency => latency.P99);
                VariantSummary p999 = Summarize("p99.9 us", latency => latency.P999),
                    max = Summarize("max us", latency => latency.Max);
                summary.AddRange([p50, p99, p999, max]);
                double late50 = Median(own, lateness => lateness.P50), late99 = Median(own, lateness => lateness.P99);
                table.AddRow(
                    variant.Text,
                    own.Any(run => run.RateNotKept is not null) ? $"{rate:N0}, not kept" : $"{rate:N0}",
                    $"{p50.Median:N1}",
                    variant.Unsecured == variant ? "" : OverUnsecured(own, Of(variant.Unsecured)),
                    $"{p99.Median:N0} ({p99.Lowest:N0}-{p99.Highest:N0})",
                    $"{p999.Median:N0}",
                    $"{max.Median:N0}",
                    $"{late50:N0}",
                    $"{late99:N0}",
                    $"{own.Sum(run => RunOutcome.Receivers(run).Sum(process => process.Lost)):N0}");

                VariantSummary Summarize(string figure, Func<LatencySummary, double> of) => VariantSummary.Of(
                    variant.Text, rate, figure, own.Select(run => Worst(run, of)));

                List<RunReport> Of(TrafficVariant one) =>
                [
                    .. runs.Where(
                        run => run.Variant == one.Text && run.OfferedRate == rate && run.Processes.Count > 0),
                ];
            }
        }
        return new ScenarioOutcome(
            runs, summary, new Rows(HostTable.With(table, cluster, plan.Receivers), new Text(RunKeys.Legend)))
        {
            Hosts = cluster?.Agents.Select(agent => agent.Facts).ToList(),
        };
    }

    private static double Worst(RunReport run, Func<LatencySummary, double> of) =>
        RunOutcome.Receivers(run).Max(process => process.Latency is { } latency ? of(latency) : 0);

    // The median of the repetitions' differences: the machine's mood is in both runs of one.
    private static string OverUnsecured(List<RunReport> secured, List<RunReport> plain)
    {
        double[] differences =
        [
            .. from one in secured
               join other in plain on one.Repetition equals other.Repetition
               select Worst(one, latency => latency.P50) - Worst(other, latency => latency.P50),
        ];
        return differences.Length > 0 ? $"{VariantSummary.Of("", 0, "", differences).Median:+0.0;-0.0}" : "";
    }

    private static double Median(List<RunReport> runs, Func<LatencySummary, double> of) =>
        VariantSummary.Of(
            "", 0, "", runs.Select(run => run.Processes[0].Lateness is { } lateness ? of(lateness) : 0)).Median;
}
