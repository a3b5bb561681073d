using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Bench.Streams;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Several senders at full speed in one group: what they reach together, and whether they share it. Jain's index is 1
/// when all senders get the same and 1/n when one gets everything. A sender's share is what a receiver got from it
/// until the first of them was through.
/// </summary>
internal sealed class Senders : IScenario
{
    private readonly Option<int[]> _senders =
        new("--senders")
        {
            Description = "Sender processes; may be repeated. Default: 1, 2, 8.",
            DefaultValueFactory = _ => [1, 2, 8]
        };
    private readonly StreamPlanOptions _stream = new(rate: 0, warmUp: 30, seconds: 5);

    /// <inheritdoc/>
    public string Verb => "senders";

    /// <inheritdoc/>
    public string Summary => "Several senders in one group: what they reach together, and how evenly.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_senders, .. _stream.All];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_senders).Any(senders => senders < 1)) result.AddError("--senders is less than 1.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        int[] counts = parsed.GetValue(_senders)!;
        int repetitions = _stream.Repetitions(parsed);
        List<RunReport> runs = [];
        for (int repetition = 1; repetition <= repetitions; repetition++)
        {
            foreach (int count in counts)
            {
                StreamPlan plan = _stream.Plan(parsed) with { Senders = count };
                runs.Add(await plan.RunAsync(
                    new RunReport
                    {
                        Variant = Variant.QuickSilver.Text(),
                        Setting = Setting(count),
                        OfferedRate = plan.Rate,
                        Repetition = repetition,
                    },
                    ct));
                RunOutcome.Tell(runs[^1], runs.Count, counts.Length * repetitions);
            }
        }

        Table table = new Table().Border(TableBorder.Simple);
        string[] titles = [
            "senders", "messages/s, median", "lowest", "highest", "Jain's index, median", "lowest", "repairs", "lost"];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        List<VariantSummary> summary = [];
        foreach (int count in counts)
        {
            List<RunReport> own = [.. runs.Where(run => run.Setting == Setting(count) && run.Processes.Count > 0)];
            VariantSummary rate = Sum("messages/s to the slowest receiver", own.Select(RunOutcome.SlowestRate));
            VariantSummary fairness = Sum("Jain's index", own.Select(Jain));
            long repairs = own.Sum(
                run => run.Processes.Sum(process => process.RepairsFromPeers + process.RepairsFromSenders));
            table.AddRow(
                $"{count}",
                $"{rate.Median:N0}",
                $"{rate.Lowest:N0}",
                $"{rate.Highest:N0}",
                $"{fairness.Median:N3}",
                $"{fairness.Lowest:N3}",
                $"{repairs:N0}",
                $"{own.Sum(run => RunOutcome.Receivers(run).Sum(process => process.Lost)):N0}");

            VariantSummary Sum(string figure, IEnumerable<double> values)
            {
                var one = VariantSummary.Of(Setting(count), _stream.Plan(parsed).Rate, figure, values);
                summary.Add(one);
                return one;
            }
        }
        return new ScenarioOutcome(runs, summary, table);
    }

    private static string Setting(int senders) => $"{senders} senders";

    // From the first messages until the first sender has all of its own through: while all want to send.
    private static double Jain(RunReport run)
    {
        IReadOnlyList<ProgressSample> progress = RunOutcome.Receivers(run).First().Progress!;
        ProgressSample? last = progress.LastOrDefault(
            sample => sample.BySender.Zip(progress[^1].BySender).All(pair => pair.First < pair.Second));
        if (last is null) return double.NaN;
        double[] shares = [
            .. last.BySender.Zip(progress[0].BySender).Select(pair => (double)(pair.First - pair.Second))];
        double squares = shares.Sum(share => share * share);
        return squares == 0 ? double.NaN : shares.Sum() * shares.Sum() / (shares.Length * squares);
    }
}
