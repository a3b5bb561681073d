using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Protocol.Wire;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Junk datagrams to a node of a secured cluster: what they cost it, beside the same node without them. No view may
/// change. More than half of the cost is the kernel's (decision 0098).
/// </summary>
internal sealed class Junk : IScenario
{
    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Member processes; the first gets the junk.", DefaultValueFactory = _ => 2 }.AtLeast(1);
    private readonly Option<double> _rate = new Option<double>("--rate")
    { Description = "Junk datagrams a second.", DefaultValueFactory = _ => 500_000 }.Above(0);
    private readonly Option<int> _size = new Option<int>("--size")
    { Description = "Bytes of one.", DefaultValueFactory = _ => 200 }.AtLeast(
        DatagramHeader.Length + SealedHeader.MostTagBytes);

    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    { Description = "Seconds of junk before measuring.", DefaultValueFactory = _ => 1 }.AtLeast(0);
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "Seconds measured.", DefaultValueFactory = _ => 10 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Runs of each kind; two kinds.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<RunSecurity> _security = SecurityOption.MakeSingle(RunSecurity.Key);

    private readonly Option<double> _mostCpu = new Option<double>("--most-cpu")
    {
        Description = "Fail when the junk costs more than this, in percent of a core.",
        DefaultValueFactory = _ => 100,
    }.Above(0);

    /// <inheritdoc/>
    public string Verb => "junk";

    /// <inheritdoc/>
    public string Summary => "Junk datagrams to a secured node: what they cost it, and whether a view changes.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_nodes, _rate, _size, _warmUp, _seconds, _repeat, _security, _mostCpu];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_size) > DatagramHeader.MaxDatagram)
            result.AddError($"--size is more than {DatagramHeader.MaxDatagram}.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        int repeat = parsed.GetValue(_repeat);
        double mostCpu = parsed.GetValue(_mostCpu) / 100;
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("run");
        foreach (string title in (string[])["junk sent", "dropped by the node", "CPU, % of a core", "others' CPU, %"])
            table.AddColumn(new TableColumn(title).RightAligned());
        List<RunReport> runs = [];
        for (int repetition = 1; repetition <= repeat; repetition++)
        {
            foreach (double rate in (double[])[0, parsed.GetValue(_rate)])
            {
                var run = new RunReport
                {
                    Variant = rate == 0 ? "quiet" : "junk",
                    Repetition = repetition,
                    OfferedRate = rate,
                };
                (run, long sent) = await JunkRunner.RunAsync(run, Order(parsed), parsed.GetValue(_size), ct);
                run = Judge(run, mostCpu);
                RunOutcome.Tell(run, runs.Count + 1, 2 * repeat);
                runs.Add(run);
                if (run.Processes.Count == 0) continue;
                table.AddRow(
                    $"{run.Variant} {repetition}", $"{sent:N0}",
                    $"{run.Processes[0].Statistics!.PacketsRejected:N0}",
                    $"{run.Processes[0].Idle!.CpuShare * 100:N2}",
                    $"{run.Processes.Skip(1).Select(one => one.Idle!.CpuShare).DefaultIfEmpty().Average() * 100:N2}");
            }
        }
        List<VariantSummary> summary =
        [
            .. runs.Where(run => run.Processes.Count > 0).GroupBy(run => (run.Variant, run.OfferedRate)).Select(
                kind => VariantSummary.Of(
                    kind.Key.Variant, kind.Key.OfferedRate, "CPU share of a core",
                    kind.Select(run => run.Processes[0].Idle!.CpuShare))),
        ];
        return new ScenarioOutcome(runs, summary, table);
    }

    private RoleOrder Order(ParseResult parsed) => new()
    {
        Role = RoleKind.IdleMember,
        Name = "member",
        // This process is a member, too.
        Receivers = parsed.GetValue(_nodes) + 1,
        Groups = 1,
        WarmUpSeconds = parsed.GetValue(_warmUp),
        MeasuredSeconds = parsed.GetValue(_seconds),
        Key = parsed.GetValue(_security).Make(),
    };

    private static RunReport Judge(RunReport run, double mostCpu)
    {
        if (run.Processes.Count == 0 || run.OfferedRate == 0) return run;
        List<string> failures = [.. run.Failures];
        ProcessReport hit = run.Processes[0];
        if (hit.Idle!.CpuShare > mostCpu) failures.Add($"the junk cost {hit.Idle.CpuShare * 100:N1} % of a core");
        if (hit.Statistics!.PacketsRejected == 0) failures.Add("no junk has come to the node");
        return run with { Failures = failures };
    }
}
