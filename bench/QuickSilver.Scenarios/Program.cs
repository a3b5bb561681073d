using System.CommandLine;
using System.Globalization;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Scenarios.Verbs;
using QuickSilver.Scenarios.Wide;
using Spectre.Console;

IScenario[] scenarios =
[
    new Throughput(),
    new Latency(),
    new Idle(),
    new PeerComparison(),
    new Nodes(),
    new Sizes(),
    new Loss(),
    new GroupCounts(),
    new Profiles(),
    new Senders(),
    new Freeze(),
    new Herd(),
    new Joins(),
    new Starts(),
    new ChaosVerb(),
    new Disturb(),
    new Soak(),
    new Modes(),
    new Long(),
    new Overlap(),
    new Junk(),
    new SlowMember(),
    new SitesVerb(),
    new WideVerb(),
    new WideFaultsVerb(),
];
const int RateNotKept = 2;
if (args is [RoleProgram.Word]) return await RoleProgram.RunAsync();
if (args is [SiteProgram.Word]) return await SiteProgram.RunAsync();

var json = new Option<FileInfo?>("--json")
{ Description = "Write the findings to this file.", HelpName = "FILE", Recursive = true };
var list = new Option<bool>("--list") { Description = "Name the scenarios." };
var root = new RootCommand(
    "Runs one scenario with real processes on this machine, verifies it and reports. Ends with 0 when every run was "
        + "verified, with 2 when they were and a sender did not keep its rate.")
{
    json,
    list,
};
root.SetAction(parsed =>
{
    if (!parsed.GetValue(list))
    {
        Console.Error.WriteLine("Name a scenario: --list names them.");
        return 1;
    }
    foreach (IScenario scenario in scenarios) Console.WriteLine($"{scenario.Verb,-12} {scenario.Summary}");
    return 0;
});
foreach (IScenario scenario in scenarios)
{
    var command = new Command(scenario.Verb, scenario.Summary);
    foreach (Option option in scenario.Options) command.Options.Add(option);
    command.Validators.Add(scenario.Validate);
    command.SetAction((parsed, ct) => RunAsync(scenario, parsed, ct));
    root.Subcommands.Add(command);
}
return await CommandLine.RunAsync(root, args);

async Task<int> RunAsync(IScenario scenario, ParseResult parsed, CancellationToken ct)
{
    DateTimeOffset started = DateTimeOffset.UtcNow;
    var machine = MachineReport.Here();
    var build = BuildReport.Here();
    if (build.Configuration != "Release")
        Console.Error.WriteLine("Built as Debug: the figures mean nothing. Use -c Release.");
    ScenarioOutcome outcome;
    try
    {
        outcome = await scenario.RunAsync(parsed, ct);
    }
    catch (OperationCanceledException) when (ct.IsCancellationRequested)
    {
        Console.Error.WriteLine("Interrupted.");
        return 1;
    }
    catch (RunFailedException failure)
    {
        Console.Error.WriteLine(failure.Message);
        return 1;
    }
    bool verified = outcome.Runs.All(run => run.Failures.Count == 0);
    if (parsed.GetValue(json) is { } file)
    {
        ReportJson.Write(file.FullName, new ScenarioReport
        {
            Scenario = scenario.Verb,
            Started = started,
            Build = build,
            Machine = machine,
            Options = scenario.Options.ToDictionary(option => option.Name, option => Text(parsed, option)),
            Summary = outcome.Summary,
            Runs = outcome.Runs,
            Hosts = outcome.Hosts,
            Verified = verified,
        });
    }
    if (Console.IsOutputRedirected) AnsiConsole.Profile.Width = 200;
    AnsiConsole.Write(outcome.Table);
    int notKept = outcome.Runs.Count(run => run.RateNotKept is not null);
    Console.WriteLine(!verified ? "FAILED: see the runs above."
        : notKept == 0 ? "Verified."
        : $"Rate not kept in {notKept} of {outcome.Runs.Count} runs: their latencies are the machine's. All messages "
            + "came.");
    return !verified ? 1 : notKept > 0 ? RateNotKept : 0;
}

static string Text(ParseResult parsed, Option option) => parsed.GetResult(option)?.GetValueOrDefault<object>() switch
{
    null => "",
    Array values => string.Join(", ", values.Cast<object>()),
    IFormattable value => value.ToString(null, CultureInfo.InvariantCulture),
    var value => value.ToString() ?? "",
};
