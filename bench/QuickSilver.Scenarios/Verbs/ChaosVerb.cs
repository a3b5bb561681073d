using System.CommandLine;
using System.CommandLine.Parsing;
using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Processes that are killed, frozen and started again at random under traffic, the one that hosts the membership among
/// them. What every member saw is compared afterwards; see <see cref="ChaosChecker"/> for what it has to be.
/// </summary>
internal sealed class ChaosVerb : IScenario
{
    private readonly Option<ulong?> _seed = new("--seed")
    { Description = "Seed of the plan; drawn and told when left out." };
    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Member processes.", DefaultValueFactory = _ => 10 }.AtLeast(4);
    private readonly Option<int> _groups =
        new Option<int>("--groups") { Description = "Overlapping groups.", DefaultValueFactory = _ => 50 }.AtLeast(8);
    private readonly Option<int> _senders =
        new Option<int>("--senders")
        { Description = "How many of them send.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<double> _rate =
        new Option<double>("--rate")
        { Description = "Messages a second of each sender.", DefaultValueFactory = _ => 300 }.Above(0);
    private readonly Option<double> _seconds =
        new Option<double>("--seconds") { Description = "Seconds of faults.", DefaultValueFactory = _ => 60 }.Above(0);

    private readonly Option<double> _timeout = new Option<double>("--failure-timeout")
    {
        Description = "Seconds of silence after which a node is removed.",
        DefaultValueFactory = _ => 2,
    }.Above(0);

    private readonly Option<double> _recovery =
        new Option<double>("--recovery")
        {
            Description = "Seconds beyond it until all must be well.",
            DefaultValueFactory = _ => 5
        }.Above(0);
    private readonly Option<int> _repeat =
        new Option<int>("--repeat")
        { Description = "Runs, each with the next seed.", DefaultValueFactory = _ => 1 }.AtLeast(1);
    private readonly Option<double> _drop =
        new Option<double>("--drop")
        {
            Description = "Share of the datagrams that each node drops.",
            DefaultValueFactory = _ => 0.01
        }.Share();
    private readonly Option<TransportKind> _transport =
        new("--transport") { Description = "How messages travel.", DefaultValueFactory = _ => TransportKind.Auto };
    private readonly Option<RunSecurity> _security = SecurityOption.MakeSingle(RunSecurity.None);

    private readonly Option<string?> _logs =
        new("--logs")
        {
            Description = "Directory for the logs, kept. Without it they are kept only on failure.",
            HelpName = "DIR"
        };

    /// <inheritdoc/>
    public string Verb => "chaos";

    /// <inheritdoc/>
    public string Summary =>
        "Random kill -9, freezes, restarts and membership-host kills under traffic; every member's log is checked.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
        [
            _seed, _nodes, _groups, _senders, _rate, _seconds, _timeout, _recovery, _repeat, _drop, _transport,
            _security, _logs,
        ];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (!OperatingSystem.IsLinux()) result.AddError("chaos sends signals to processes: Linux only.");
        if (result.ValueOrDefault(_senders) > result.ValueOrDefault(_nodes))
            result.AddError("--senders is more than --nodes.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        ulong seed = parsed.GetValue(_seed) ?? (ulong)Stopwatch.GetTimestamp() % 1_000_000;
        Table table = new Table().Border(TableBorder.Simple);
        string[] titles =
        [
            "seed", "faults", "messages read", "losses told", "lives", "evictions", "confirmed", "heard again, s",
            "all confirmed, s", "verdict",
        ];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        List<RunReport> runs = [];
        for (int run = 0; run < parsed.GetValue(_repeat); run++)
        {
            string root = parsed.GetValue(_logs)
                ?? Path.Combine(Path.GetTempPath(), $"quicksilver-chaos-{Environment.ProcessId}");
            var setup = new ChaosSetup
            {
                Seed = seed + (ulong)run,
                Nodes = parsed.GetValue(_nodes),
                Groups = parsed.GetValue(_groups),
                Senders = parsed.GetValue(_senders),
                Rate = parsed.GetValue(_rate),
                Seconds = parsed.GetValue(_seconds),
                FailureTimeout = parsed.GetValue(_timeout),
                Recovery = parsed.GetValue(_recovery),
                Drop = parsed.GetValue(_drop),
                Transport = parsed.GetValue(_transport),
                Security = parsed.GetValue(_security),
                Directory = Path.Combine(root, $"seed-{seed + (ulong)run}"),
            };
            RunReport report = await RunOneAsync(setup, run + 1, table, ct);
            runs.Add(report);
            if (report.Failures.Count > 0)
                Console.Error.WriteLine($"The logs are in {setup.Directory}. Repeat with --seed {setup.Seed}.");
            else if (parsed.GetValue(_logs) is null) Directory.Delete(setup.Directory, recursive: true);
        }
        return new ScenarioOutcome(runs, [], table);
    }

    private static async Task<RunReport> RunOneAsync(
        ChaosSetup setup, int repetition, Table table, CancellationToken ct)
    {
        Console.Error.WriteLine(
            $"chaos: seed {setup.Seed}, {setup.Nodes} nodes, {setup.Groups} groups, {setup.Senders} senders, "
                + $"{setup.Seconds:N0} s of faults, security {setup.Security}");
        if (Directory.Exists(setup.Directory)) Directory.Delete(setup.Directory, recursive: true);
        Directory.CreateDirectory(setup.Directory);
        var report = new RunReport
        {
            Variant = $"seed {setup.Seed}",
            Repetition = repetition,
            OfferedRate = setup.Rate * setup.Senders
        };
        ChaosEnd end;
        await using (var run = new ChaosRun(setup))
        {
            try
            {
                end = await run.RunAsync(ct);
            }
            catch (RunFailedException failure)
            {
                return report with { Failures = [failure.Message] };
            }
        }
        ChaosFindings findings = ChaosChecker.Check(
            ChaosLogs.Read(setup.Directory, end.LastProcesses), end, setup.FailureTimeout + setup.Recovery);
        foreach (string violation in findings.Violations) Console.Error.WriteLine($"  VIOLATION {violation}");
        string faults = string.Join(
            ", ", end.Done.OrderBy(pair => pair.Key).Select(pair => $"{pair.Value} {pair.Key}"));
        table.AddRow(
            $"{setup.Seed}",
            faults,
            $"{findings.Messages:N0}",
            $"{findings.Losses:N0}",
            $"{findings.Lives}",
            $"{findings.Evictions}",
            $"{findings.Confirmations:N0}",
            $"{findings.RecoveredSeconds:N2}",
            $"{findings.ConfirmedSeconds:N2}",
            findings.Violations.Count == 0 ? "verified" : $"{findings.Violations.Count} violations");
        return report with { Failures = findings.Violations, Chaos = findings };
    }
}
