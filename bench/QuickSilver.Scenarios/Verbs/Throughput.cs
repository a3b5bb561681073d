using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// One sender at full speed. The rate of a run is its slowest receiver's, over the messages of the measured part;
/// processor time is of all threads in that part, divided by its messages.
/// </summary>
internal sealed class Throughput : IScenario
{
    private readonly TrafficOptions _options = new(Variant.QuickSilver, Variant.RawSingle, Variant.RawTrains)
    {
        TakesAgents = true,
    };

    /// <inheritdoc/>
    public string Verb => "throughput";

    /// <inheritdoc/>
    public string Summary => "One sender at full speed to some receivers, beside raw UDP multicast loops.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => _options.All;

    /// <inheritdoc/>
    public void Validate(CommandResult result) => _options.Validate(result);

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        await using AgentCluster? cluster = await _options.OpenAgentsAsync(parsed, ct);
        TrafficPlan plan = _options.Read(parsed) with { Agents = cluster };
        List<RunReport> runs = await plan.RunAsync([0], ct);
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("variant");
        string[] titles =
        [
            "messages/s, median", "lowest", "highest", "to raw single", "to unsecured", "sender us/msg",
            "receiver us/msg", "sender bytes/msg", "receiver bytes/msg", "lost",
        ];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        List<VariantSummary> summary = [];
        double single = Rate(runs, Variant.RawSingle).Median;
        foreach (TrafficVariant variant in plan.Variants)
        {
            VariantSummary rate = Rate(runs, variant);
            List<RunReport> own = Of(runs, variant);
            VariantSummary senderCpu = Summarize(
                variant, "sender CPU us/message", own.Select(run => CpuMicros(run.Processes[0])));
            VariantSummary receiverCpu =
                Summarize(
                    variant, "receiver CPU us/message",
                    own.Select(run => RunOutcome.Receivers(run).Average(CpuMicros)));
            VariantSummary sent = Summarize(
                variant, "sender bytes allocated/message", own.Select(run => Allocated(run.Processes[0])));
            VariantSummary allocated =
                Summarize(
                    variant, "receiver bytes allocated/message",
                    own.Select(run => RunOutcome.Receivers(run).Average(Allocated)));
            summary.AddRange([rate, senderCpu, receiverCpu, sent, allocated]);
            table.AddRow(
                variant.Text,
                $"{rate.Median:N0}",
                $"{rate.Lowest:N0}",
                $"{rate.Highest:N0}",
                single > 0 ? $"{rate.Median / single:N2}" : "",
                ToUnsecured(runs, variant),
                $"{senderCpu.Median:N2}",
                $"{receiverCpu.Median:N2}",
                $"{sent.Median:N2}",
                $"{allocated.Median:N2}",
                $"{own.Sum(run => RunOutcome.Receivers(run).Sum(process => process.Lost)):N0}");
        }
        return new ScenarioOutcome(
            runs, summary, new Rows(HostTable.With(table, cluster, plan.Receivers), new Text(RunKeys.Legend)))
        {
            Hosts = cluster?.Agents.Select(agent => agent.Facts).ToList(),
        };
    }

    // The median of the repetitions' ratios: the machine's mood is in both runs of one.
    private static string ToUnsecured(List<RunReport> runs, TrafficVariant variant)
    {
        if (variant.Unsecured == variant) return "";
        double[] ratios =
        [
            .. from secured in Of(runs, variant)
               join plain in Of(runs, variant.Unsecured) on secured.Repetition equals plain.Repetition
               select RunOutcome.SlowestRate(secured) / RunOutcome.SlowestRate(plain),
        ];
        return ratios.Length > 0 ? $"{VariantSummary.Of("", 0, "", ratios).Median:N2}" : "";
    }

    private static List<RunReport> Of(List<RunReport> runs, TrafficVariant variant) =>
        [.. runs.Where(run => run.Variant == variant.Text && run.Processes.Count > 0)];

    private static VariantSummary Rate(List<RunReport> runs, TrafficVariant variant) =>
        Summarize(variant, "messages/s to the slowest receiver", Of(runs, variant).Select(RunOutcome.SlowestRate));

    private static VariantSummary Summarize(TrafficVariant variant, string figure, IEnumerable<double> values) =>
        VariantSummary.Of(variant.Text, 0, figure, values);

    private static double CpuMicros(ProcessReport process) => process.CpuSeconds * 1e6 / Math.Max(1, process.Measured);

    private static double Allocated(ProcessReport process) =>
        process.AllocatedBytes / (double)Math.Max(1, process.Measured);
}
