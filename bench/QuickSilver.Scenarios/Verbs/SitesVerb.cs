using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Bench.Shaping;
using QuickSilver.Scenarios.Sites;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>Sites in a row: what a reliable group and the order of all sites carry, and how old messages are.</summary>
internal sealed class SitesVerb : IScenario
{
    private readonly Option<int> _sites = new Option<int>("--sites")
    { Description = "Sites in a row.", DefaultValueFactory = _ => 2 }.AtLeast(2);
    private readonly Option<SiteMode[]> _modes = new("--mode")
    {
        Description = "Reliable, agreed or safe; may be repeated.",
        DefaultValueFactory = _ => [SiteMode.Reliable, SiteMode.Agreed, SiteMode.Safe],
    };
    private readonly Option<double> _delay = new Option<double>("--delay")
    { Description = "Milliseconds of each way between two neighbours.", DefaultValueFactory = _ => 0 }.AtLeast(0);
    private readonly Option<double> _loss = new Option<double>("--loss")
    { Description = "Share of datagrams that each way loses.", DefaultValueFactory = _ => 0 }.AtLeast(0);
    private readonly Option<int> _size = new Option<int>("--size")
    { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 }.AtLeast(SiteEnd.HeadBytes);
    private readonly Option<int> _rate = new Option<int>("--rate")
    { Description = "Messages a second of the latency runs.", DefaultValueFactory = _ => 1000 }.AtLeast(1);
    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    { Description = "Seconds before measuring.", DefaultValueFactory = _ => 3 }.AtLeast(0);
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "Seconds measured.", DefaultValueFactory = _ => 5 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Repetitions, the modes interleaved.", DefaultValueFactory = _ => 3 }.AtLeast(1);

    /// <inheritdoc/>
    public string Verb => "sites";

    /// <inheritdoc/>
    public string Summary =>
        "Sites in a row, in one process: the rate of a reliable group and of the order of all sites, and how old "
            + "messages are at both ends.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
        [_sites, _modes, _delay, _loss, _size, _rate, _warmUp, _seconds, _repeat];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_loss) >= 1) result.AddError("--loss is not a share.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        var plan = new SiteRun
        {
            Mode = SiteMode.Reliable,
            Sites = parsed.GetValue(_sites),
            Rate = 0,
            Size = parsed.GetValue(_size),
            WarmUp = TimeSpan.FromSeconds(parsed.GetValue(_warmUp)),
            Length = TimeSpan.FromSeconds(parsed.GetValue(_seconds)),
            Way = new WayShape
            {
                Delay = TimeSpan.FromMilliseconds(parsed.GetValue(_delay)),
                Loss = parsed.GetValue(_loss),
            },
        };
        SiteMode[] modes = parsed.GetValue(_modes)!;
        int all = modes.Length * 2 * parsed.GetValue(_repeat);
        List<RunReport> runs = [];
        List<(SiteMode Mode, int Rate, SiteFindings Found)> found = [];
        for (int repetition = 1; repetition <= parsed.GetValue(_repeat); repetition++)
        {
            foreach (SiteMode mode in modes)
            {
                foreach (int rate in (int[])[0, parsed.GetValue(_rate)])
                {
                    SiteFindings one = await (plan with { Mode = mode, Rate = rate }).RunAsync(ct);
                    found.Add((mode, rate, one));
                    runs.Add(new RunReport
                    {
                        Variant = mode.ToString().ToLowerInvariant(),
                        Repetition = repetition,
                        OfferedRate = rate,
                        Failures = one.Failures,
                    });
                    RunOutcome.Tell(runs[^1], runs.Count, all);
                }
            }
        }
        List<VariantSummary> summary = [.. modes.SelectMany(mode => Summarize(mode, found))];
        return new ScenarioOutcome(runs, summary, MakeTable(modes, summary));
    }

    private static IEnumerable<VariantSummary> Summarize(
        SiteMode mode, List<(SiteMode Mode, int Rate, SiteFindings Found)> all)
    {
        string name = mode.ToString().ToLowerInvariant();
        List<SiteFindings> fast = [.. all.Where(one => one.Mode == mode && one.Rate == 0).Select(one => one.Found)];
        List<(int Rate, SiteFindings Found)> paced =
            [.. all.Where(one => one.Mode == mode && one.Rate > 0).Select(one => (one.Rate, one.Found))];
        yield return VariantSummary.Of(name, 0, "messages/s", fast.Select(static one => one.Rate));
        yield return Ages("own site, p50, us", static one => one.Near?.P50);
        yield return Ages("own site, p99, us", static one => one.Near?.P99);
        yield return Ages("last site, p50, us", static one => one.Far?.P50);
        yield return Ages("last site, p99, us", static one => one.Far?.P99);

        VariantSummary Ages(string figure, Func<SiteFindings, double?> value) => VariantSummary.Of(
            name, paced[0].Rate, figure, paced.Select(one => value(one.Found)).OfType<double>());
    }

    private static Table MakeTable(SiteMode[] modes, List<VariantSummary> summary)
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("mode");
        int figures = summary.Count / modes.Length;
        foreach (VariantSummary one in summary.Take(figures))
            table.AddColumn(new TableColumn(one.Figure).RightAligned());
        foreach (VariantSummary[] row in summary.Chunk(figures))
        {
            string[] cells =
                [.. row.Select(static one => $"{one.Median:N0} ({one.Lowest:N0} to {one.Highest:N0})")];
            table.AddRow([row[0].Variant, .. cells]);
        }
        return table;
    }
}
