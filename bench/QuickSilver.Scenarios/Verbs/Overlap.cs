using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Overlaps;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Irregular overlap over real sockets: the patterns of <c>simulator overlap</c>, by exact regions, by merged ones, and
/// with addresses for single groups. Every node sends to each of its groups in turn.
/// </summary>
internal sealed class Overlap : IScenario
{
    private const int MostHybrid = 256;
    private const double MicrosPerSecond = 1e6;

    private static readonly string[] Patterns = [.. OverlapPattern.MakeAll(2, 1).Select(static one => one.Name)];

    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Nodes.", DefaultValueFactory = _ => 16 }.AtLeast(2);
    private readonly Option<int> _processes = new Option<int>("--processes")
    { Description = "Processes that they are in; a divisor of the nodes.", DefaultValueFactory = _ => 4 }.AtLeast(1);
    private readonly Option<int> _groups = new Option<int>("--groups")
    { Description = "Groups.", DefaultValueFactory = _ => 1000 }.AtLeast(1);
    private readonly Option<string[]> _patterns = new("--pattern")
    {
        Description = "Which patterns; may be repeated. Default: all.",
        DefaultValueFactory = _ => Patterns,
    };

    private readonly Option<int[]> _hybrid = new("--hybrid")
    {
        Description = "Groups with an address of their own, those first that span most regions; may be repeated. A "
            + "node takes at most 256. Default: 64, 256.",
        DefaultValueFactory = _ => [64, MostHybrid],
    };

    private readonly Option<int> _size = new Option<int>("--size")
    { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 }.AtLeast(MeasuredHeader.Bytes);
    private readonly Option<double> _rate = new Option<double>("--rate")
    { Description = "Messages a second of each node; 0: full speed.", DefaultValueFactory = _ => 0 }.AtLeast(0);
    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    { Description = "Seconds before measuring.", DefaultValueFactory = _ => 5 }.AtLeast(0);
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "Seconds measured.", DefaultValueFactory = _ => 5 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Repetitions.", DefaultValueFactory = _ => 1 }.AtLeast(1);
    private readonly Option<NetProfile> _net = NetOption.Make();

    /// <inheritdoc/>
    public string Verb => "overlap";

    /// <inheritdoc/>
    public string Summary =>
        "Five patterns of overlapping groups over sockets: exact and merged regions, addresses for single groups.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
        [_nodes, _processes, _groups, _patterns, _hybrid, _size, _rate, _warmUp, _seconds, _repeat, _net];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_nodes) % result.ValueOrDefault(_processes) != 0)
            result.AddError("--processes is no divisor of --nodes.");
        if (result.ValueOrDefault(_hybrid)!.Any(static most => most is < 0 or > MostHybrid))
            result.AddError($"--hybrid is not between 0 and {MostHybrid}.");
        foreach (string name in result.ValueOrDefault(_patterns)!.Except(Patterns))
            result.AddError($"--pattern {name} is none of: {string.Join(", ", Patterns)}.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        List<RunReport> runs = [];
        List<(string Name, OverlapPlan Plan, string Pattern)> plans = [.. Plans(parsed)];
        int all = plans.Count * parsed.GetValue(_repeat);
        for (int repetition = 1; repetition <= parsed.GetValue(_repeat); repetition++)
        {
            foreach ((string name, OverlapPlan plan, string pattern) in plans)
            {
                runs.Add(await plan.RunAsync(
                    new RunReport { Variant = name, Setting = pattern, Repetition = repetition }, ct));
                RunOutcome.Tell(runs[^1], runs.Count, all);
            }
        }
        return new ScenarioOutcome(runs, Summarize(runs), MakeTable(runs));
    }

    private IEnumerable<(string Name, OverlapPlan Plan, string Pattern)> Plans(ParseResult parsed)
    {
        int nodes = parsed.GetValue(_nodes);
        OverlapPattern[] all = OverlapPattern.MakeAll(nodes, parsed.GetValue(_groups));
        foreach (string name in parsed.GetValue(_patterns)!)
        {
            int index = Array.IndexOf(Patterns, name);
            int regions = OverlapOrder.CountRegions(all[index], nodes);
            var order = new OverlapOrder(
                index, nodes, nodes / parsed.GetValue(_processes), parsed.GetValue(_groups), []);
            OverlapPlan plan = Plan(parsed, order);
            yield return ("exact", plan, name);
            int merged = Math.Max(1, regions / 2);
            if (merged < regions)
            {
                string most = merged.ToString(CultureInfo.InvariantCulture);
                yield return ($"merged, at most {most}", plan with { MaxRegions = merged }, name);
            }
            foreach (int addresses in parsed.GetValue(_hybrid)!)
            {
                int[] hybrid = OverlapOrder.ChooseHybrid(all[index], nodes, addresses);
                if (hybrid.Length == 0) continue;
                string number = hybrid.Length.ToString(CultureInfo.InvariantCulture);
                yield return ($"hybrid, {number} groups", plan with { Overlap = order with { Hybrid = hybrid } }, name);
            }
        }
    }

    private OverlapPlan Plan(ParseResult parsed, OverlapOrder order) => new()
    {
        Net = parsed.GetValue(_net),
        Overlap = order,
        Size = parsed.GetValue(_size),
        Rate = parsed.GetValue(_rate),
        WarmUpSeconds = parsed.GetValue(_warmUp),
        MeasuredSeconds = parsed.GetValue(_seconds),
    };

    private static Table MakeTable(List<RunReport> runs)
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("pattern");
        table.AddColumn("way");
        string[] titles = [
            "messages/s", "deliveries/s", "copies a message", "packets filtered", "regions", "wire bytes/message",
            "CPU us/delivery"];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        foreach (RunReport run in runs.Where(static run => run.Processes.Count > 0))
        {
            OverlapReport[] reports = [.. run.Processes.Select(static process => process.Overlap!)];
            double sent = run.Processes.Sum(static process => process.Sent);
            long received = reports.Sum(static report => report.PacketsReceived);
            long filtered = reports.Sum(static report => report.PacketsFiltered);
            table.AddRow(
                run.Setting!, run.Variant, $"{Sent(run):N0}", $"{Delivered(run):N0}",
                $"{reports.Sum(static report => report.Copies) / sent:N2}", $"{filtered / Math.Max(1.0, received):P0}",
                $"{reports.Max(static report => report.Regions)}", $"{run.WireBytes / sent:N0}",
                $"{Cpu(run):N2}");
        }
        return table;
    }

    private static List<VariantSummary> Summarize(List<RunReport> runs) =>
    [
        .. runs.GroupBy(static run => $"{run.Setting}, {run.Variant}").SelectMany(static same => (VariantSummary[])[
            VariantSummary.Of(same.Key, 0, "messages/s", same.Select(Sent)),
            VariantSummary.Of(same.Key, 0, "deliveries/s", same.Select(Delivered)),
            VariantSummary.Of(same.Key, 0, "CPU us/delivery", same.Select(Cpu))]),
    ];

    private static double Sent(RunReport run) =>
        run.Processes.Sum(static process => process.Measured / process.MeasuredSeconds);

    private static double Delivered(RunReport run) =>
        run.Processes.Sum(static process => process.Overlap!.MeasuredDelivered / process.MeasuredSeconds);

    private static double Cpu(RunReport run) =>
        run.Processes.Sum(static process => process.CpuSeconds) * MicrosPerSecond
            / Math.Max(1, run.Processes.Sum(static process => process.Overlap!.MeasuredDelivered));
}
