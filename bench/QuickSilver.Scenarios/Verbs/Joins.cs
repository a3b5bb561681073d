using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Thousands of groups: what they cost a node alone, several that join the same ones at once, with a pair that sends
/// meanwhile, and what the death of one costs the others.
/// </summary>
internal sealed class Joins : IScenario
{
    private const double WarmSeconds = 2;
    private const double PairSeconds = 2;

    private readonly Option<string> _part = new("--part")
    {
        Description = "Only one part: alone, together or pair.",
        DefaultValueFactory = _ => "all",
    };

    private readonly Option<int> _alone = new Option<int>("--alone")
    { Description = "Groups of the node alone.", DefaultValueFactory = _ => 10_000 }.AtLeast(1);
    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Processes that join at once.", DefaultValueFactory = _ => 4 }.AtLeast(2);
    private readonly Option<int> _groups = new Option<int>("--groups")
    { Description = "Groups that each of them joins.", DefaultValueFactory = _ => 8192 }.AtLeast(3);
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "Seconds of single joins and leaves.", DefaultValueFactory = _ => 60 }.Above(0);
    private readonly Option<double> _rate = new Option<double>("--rate")
    { Description = "Single joins, and as many leaves, a second.", DefaultValueFactory = _ => 1000 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Runs.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly List<VariantSummary> _summary = [];
    private readonly Dictionary<string, List<double>> _figures = [];

    /// <inheritdoc/>
    public string Verb => "joins";

    /// <inheritdoc/>
    public string Summary =>
        "Nodes join thousands of groups, alone and together, one dies: seconds, memory, longest turns of all threads.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_part, _alone, _nodes, _groups, _seconds, _rate, _repeat];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_part) is not ("all" or "alone" or "together" or "pair"))
            result.AddError("--part is alone, together or pair.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        string part = parsed.GetValue(_part)!;
        int repeat = parsed.GetValue(_repeat);
        List<RunReport> runs = [];
        for (int repetition = 1; repetition <= repeat; repetition++)
        {
            foreach (string setting in (string[])["alone", "together", "pair"])
            {
                if (part != "all" && part != setting) continue;
                var run = new RunReport
                {
                    Variant = Variant.QuickSilver.Text(),
                    Repetition = repetition,
                    Setting = setting,
                };
                run = setting == "alone" ? await RunAloneAsync(run, parsed, ct)
                    : await RunTogetherAsync(run, parsed, setting == "pair", ct);
                RunOutcome.Tell(run, repetition, repeat);
                runs.Add(run);
            }
        }
        Table table = new Table().Border(TableBorder.Simple).AddColumn("figure");
        foreach (string title in (string[])["median", "lowest", "highest"])
            table.AddColumn(new TableColumn(title).RightAligned());
        foreach ((string figure, List<double> values) in _figures)
        {
            var summary = VariantSummary.Of(Variant.QuickSilver.Text(), 0, figure, values);
            _summary.Add(summary);
            table.AddRow(figure, $"{summary.Median:N2}", $"{summary.Lowest:N2}", $"{summary.Highest:N2}");
        }
        return new ScenarioOutcome(runs, _summary, table);
    }

    private async Task<RunReport> RunAloneAsync(RunReport run, ParseResult parsed, CancellationToken ct)
    {
        run = await JoinsRunner.RunAloneAsync(
            run,
            new RoleOrder
            {
                Role = RoleKind.JoinsAlone,
                Name = "alone",
                Groups = parsed.GetValue(_alone),
                Rate = parsed.GetValue(_rate),
                MeasuredSeconds = parsed.GetValue(_seconds),
                CompilesOnce = true,
            },
            ct);
        if (run.Processes is not [{ Alone: { } alone }]) return run;
        Note("alone: one call, s", alone.JoinSeconds);
        Note("alone: one call, longest turn, ms", alone.JoinTurnMillis);
        Note("alone: bytes a group", alone.BytesPerGroup);
        Note("alone: a call each, s", alone.ParallelSeconds);
        Note("alone: left over once left, KB", alone.LeftBytes / 1e3);
        Note("single changes: joins a second", alone.ChangesPerSecond);
        Note("single changes: growth, KB", (alone.LateBytes - alone.EarlyBytes) / 1e3);
        Note("single changes: longest turn of a core, ms", alone.CoreTurnMillis);
        Note("single changes: longest turn of the host, ms", alone.HostTurnMillis);
        return run;
    }

    private async Task<RunReport> RunTogetherAsync(
        RunReport run, ParseResult parsed, bool hasPair, CancellationToken ct)
    {
        int nodes = parsed.GetValue(_nodes);
        IEnumerable<RoleOrder> members = Enumerable.Range(0, nodes).Select(number => new RoleOrder
        {
            Role = RoleKind.JoinsMember,
            Name = $"member-{number + 1}",
            Number = number,
            Receivers = nodes,
            Groups = parsed.GetValue(_groups),
            CompilesOnce = true,
        });
        var sender = new RoleOrder
        {
            Role = RoleKind.Sender,
            Name = "sender",
            Size = 100,
            Rate = 2000,
            WarmUpSeconds = WarmSeconds,
            MeasuredSeconds = PairSeconds,
            CompilesOnce = true,
        };
        (run, JoinsRunner.HostFigures? host) = await JoinsRunner.RunAsync(
            run,
            [.. members],
            hasPair ? [sender, sender with { Role = RoleKind.Receiver, Name = "receiver" }] : [],
            ct);
        if (host is null) return run;
        string what = hasPair ? "beside a pair" : "together";
        List<JoinsReport> joins = [.. run.Processes.Select(process => process.Joins).OfType<JoinsReport>()];
        Note($"{what}: last join returned, s", joins.Max(report => report.JoinedSeconds));
        Note($"{what}: all complete, s", joins.Max(report => report.CompleteSeconds));
        Note($"{what}: longest turn of a core, ms", joins.Max(report => report.JoinTurnMillis));
        Note($"{what}: longest turn of the host, ms", host.JoinTurnMillis);
        if (hasPair)
        {
            LatencySummary latency = RunOutcome.Receivers(run).First().Latency!;
            Note("beside a pair: its p99, ms", latency.P99 / 1e3);
            Note("beside a pair: its longest, ms", latency.Max / 1e3);
            return run;
        }
        Note("together: bytes a group at a member", joins.Max(report => report.BytesPerGroup));
        Note("together: bytes a name at the host", host.BytesPerName);
        Note("death: longest turn of a core, ms", joins.Max(report => report.DeathTurnMillis));
        Note("death: longest turn of the host, ms", host.DeathTurnMillis);
        return run;
    }

    private void Note(string figure, double value)
    {
        if (!_figures.TryGetValue(figure, out List<double>? values)) _figures.Add(figure, values = []);
        values.Add(value);
    }
}
