using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// A cluster in which all have joined and nobody sends: what it costs to be there. It has to be under one percent of a
/// core, and nothing but heartbeats.
/// </summary>
internal sealed class Idle : IScenario
{
    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Member processes.", DefaultValueFactory = _ => 8 }.AtLeast(1);
    private readonly Option<int> _groups =
        new Option<int>("--groups")
        { Description = "Groups, all joined by all.", DefaultValueFactory = _ => 100 }.AtLeast(1);
    private readonly Option<double> _settle =
        new Option<double>("--warmup")
        { Description = "Seconds before measuring.", DefaultValueFactory = _ => 5 }.AtLeast(0);
    private readonly Option<double> _seconds =
        new Option<double>("--seconds") { Description = "Seconds measured.", DefaultValueFactory = _ => 20 }.Above(0);
    private readonly Option<TransportKind> _transport =
        new("--transport")
        {
            Description = "How messages would travel.",
            DefaultValueFactory = _ => TransportKind.Auto
        };

    private readonly Option<RunSecurity> _security = SecurityOption.MakeSingle(RunSecurity.None);

    private readonly Option<double> _mostCpu = new Option<double>("--most-cpu")
    {
        Description = "Fail when a member uses more than this, in percent of a core.",
        DefaultValueFactory = _ => 1,
    }.Above(0);

    /// <inheritdoc/>
    public string Verb => "idle";

    /// <inheritdoc/>
    public string Summary => "A joined cluster in which nobody sends: processor time, and what is sent all the same.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_nodes, _groups, _settle, _seconds, _transport, _security, _mostCpu];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        int nodes = parsed.GetValue(_nodes);
        string? key = parsed.GetValue(_security).Make();
        List<RoleOrder> orders = [.. Enumerable.Range(0, nodes).Select(number => new RoleOrder
        {
            Role = RoleKind.IdleMember,
            // What runs once a second is compiled again after its thirtieth call: that alone costs more processor time
            // than a minute of being idle.
            CompilesOnce = true,
            Name = $"member-{number + 1}",
            Number = number,
            Receivers = nodes,
            Groups = parsed.GetValue(_groups),
            WarmUpSeconds = parsed.GetValue(_settle),
            MeasuredSeconds = parsed.GetValue(_seconds),
            Transport = parsed.GetValue(_transport),
            Key = key,
        })];
        RunReport run = await ClusterRunner.RunClusterAsync(
            new RunReport { Variant = Variant.QuickSilver.Text(), Repetition = 1 }, orders, ct);
        run = Judge(run, parsed.GetValue(_mostCpu) / 100);
        RunOutcome.Tell(run, 1, 1);

        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("member");
        foreach (string title in (string[])["CPU, % of a core", "datagrams", "turns/s", "bytes allocated/s", "peak MB"])
        {
            table.AddColumn(new TableColumn(title).RightAligned());
        }
        foreach (ProcessReport member in run.Processes)
        {
            IdleReport idle = member.Idle!;
            table.AddRow(
                member.Process, $"{idle.CpuShare * 100:N2}", $"{idle.Datagrams:N0}",
                $"{idle.LoopTurns / idle.Seconds:N1}",
                $"{member.AllocatedBytes / idle.Seconds:N0}", $"{member.PeakMemoryBytes / 1048576.0:N0}");
        }
        IEnumerable<double> shares = run.Processes.Select(member => member.Idle!.CpuShare);
        List<VariantSummary> summary = [VariantSummary.Of(run.Variant, 0, "CPU share of a core", shares)];
        return new ScenarioOutcome([run], summary, table);
    }

    private static RunReport Judge(RunReport run, double mostCpu)
    {
        List<string> failures = [.. run.Failures];
        foreach (ProcessReport member in run.Processes)
        {
            if (member.Idle!.CpuShare >= mostCpu)
                failures.Add($"{member.Process} used {member.Idle.CpuShare * 100:N2} % of a core");
            if (member.Idle.Datagrams > 0) failures.Add($"{member.Process} sent {member.Idle.Datagrams} datagrams");
        }
        return run with { Failures = failures };
    }
}
