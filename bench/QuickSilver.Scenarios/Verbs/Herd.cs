using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Processes that have started and wait, and then join many groups each at the same moment. All have to be in within
/// seconds, in a handful of membership steps.
/// </summary>
internal sealed class Herd : IScenario
{
    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Member processes.", DefaultValueFactory = _ => 32 }.AtLeast(2);
    private readonly Option<int> _groups =
        new Option<int>("--groups")
        { Description = "Groups that each joins.", DefaultValueFactory = _ => 100 }.AtLeast(1);
    private readonly Option<int> _all =
        new Option<int>("--of")
        {
            Description = "Groups there are; each member joins a window of them.",
            DefaultValueFactory = _ => 400
        }.AtLeast(1);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Runs.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<bool> _cold =
        new("--cold")
        {
            Description =
                    "Nobody has joined anything before: the runtime compiles the join while it is measured."
        };
    private readonly Option<double> _mostSeconds =
        new Option<double>("--most-seconds")
        { Description = "Fail when a join takes longer.", DefaultValueFactory = _ => 3 }.Above(0);
    private readonly Option<int> _mostSteps =
        new Option<int>("--most-steps")
        {
            Description = "Fail when it takes more steps.",
            DefaultValueFactory = _ => 10
        }.AtLeast(1);
    private readonly Option<TransportKind> _transport =
        new("--transport")
        {
            Description = "How messages would travel.",
            DefaultValueFactory = _ => TransportKind.Auto
        };

    /// <inheritdoc/>
    public string Verb => "herd";

    /// <inheritdoc/>
    public string Summary =>
        "Many started processes join many overlapping groups at the same moment: seconds and membership steps until "
            + "all are in.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
        [_nodes, _groups, _all, _repeat, _cold, _mostSeconds, _mostSteps, _transport];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_groups) > result.ValueOrDefault(_all))
            result.AddError("--groups is more than --of.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        int nodes = parsed.GetValue(_nodes);
        int repeat = parsed.GetValue(_repeat);
        Table table = new Table().Border(TableBorder.Simple);
        foreach (string title in (string[])[
            "run", "awake, s", "last join returned, s", "all complete, s", "steps", "CPU of all, s"])
        {
            table.AddColumn(new TableColumn(title).RightAligned());
        }
        List<RunReport> runs = [];
        for (int repetition = 1; repetition <= repeat; repetition++)
        {
            List<RoleOrder> orders = [.. Enumerable.Range(0, nodes).Select(number => new RoleOrder
            {
                Role = RoleKind.HerdMember,
                Name = $"member-{number + 1}",
                Number = number,
                Receivers = nodes,
                Groups = parsed.GetValue(_groups),
                AllGroups = parsed.GetValue(_all),
                IsWarm = !parsed.GetValue(_cold),
                Transport = parsed.GetValue(_transport),
            })];
            RunReport run = await ClusterRunner.RunClusterAsync(
                new RunReport { Variant = Variant.QuickSilver.Text(), Repetition = repetition }, orders, ct);
            run = Judge(run, parsed.GetValue(_mostSeconds), parsed.GetValue(_mostSteps));
            RunOutcome.Tell(run, repetition, repeat);
            runs.Add(run);
            List<HerdReport> herd = [.. run.Processes.Select(member => member.Herd!)];
            if (herd.Count == 0) continue;
            table.AddRow(
                $"{repetition}",
                $"{herd.Max(member => member.StartedSeconds):N2}",
                $"{herd.Max(member => member.JoinedSeconds):N2}",
                $"{herd.Max(member => member.CompleteSeconds):N2}",
                $"{herd.Max(member => member.Steps)}",
                $"{run.Processes.Sum(member => member.CpuSeconds):N1}");
        }
        List<VariantSummary> summary =
        [
            Sum(
                "seconds until the last join had returned",
                run => run.Processes.Max(member => member.Herd!.JoinedSeconds)),
            Sum("membership steps", run => run.Processes.Max(member => member.Herd!.Steps)),
        ];
        return new ScenarioOutcome(runs, summary, table);

        VariantSummary Sum(string figure, Func<RunReport, double> value) =>
            VariantSummary.Of(
                Variant.QuickSilver.Text(), 0, figure, runs.Where(run => run.Processes.Count > 0).Select(value));
    }

    private static RunReport Judge(RunReport run, double mostSeconds, int mostSteps)
    {
        List<string> failures = [.. run.Failures];
        if (run.Processes.Count > 0)
        {
            double seconds = run.Processes.Max(member => member.Herd!.JoinedSeconds);
            long steps = run.Processes.Max(member => member.Herd!.Steps);
            if (seconds > mostSeconds) failures.Add($"the last join took {seconds:N2} s");
            if (steps > mostSteps) failures.Add($"it took {steps} steps");
        }
        return run with { Failures = failures };
    }
}
