using System.CommandLine;
using System.CommandLine.Parsing;
using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Processes that start at once on a machine whose processors are taken by others. Then the one that serves the
/// membership is killed, and the others end in order. Everybody has to get in within a bound, and nobody who lives is
/// removed.
/// </summary>
internal sealed class Starts : IScenario
{
    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Member processes.", DefaultValueFactory = _ => 8 }.AtLeast(3);
    private readonly Option<int> _load = new Option<int>("--load")
    { Description = "Busy processes beside them.", DefaultValueFactory = _ => 60 }.AtLeast(0);
    private readonly Option<double> _mostSeconds = new Option<double>("--most-seconds")
    { Description = "Fail when one of the four phases takes longer.", DefaultValueFactory = _ => 120 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Runs.", DefaultValueFactory = _ => 1 }.AtLeast(1);
    private readonly Option<RunSecurity> _security = new("--security")
    { Description = "What protects the nodes.", DefaultValueFactory = _ => RunSecurity.Key };

    /// <inheritdoc/>
    public string Verb => "starts";

    /// <inheritdoc/>
    public string Summary =>
        "Processes start, one takes over and all stop on a machine that is overloaded: seconds of each, and who was "
            + "removed.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_nodes, _load, _mostSeconds, _repeat, _security];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (!OperatingSystem.IsLinux()) result.AddError("needs signals.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        Table table = new Table().Border(TableBorder.Simple);
        foreach (string title in (string[])[
            "run", "all started and joined, s", "all meet, s", "the server is killed, s", "all left, s", "removed"])
        {
            table.AddColumn(new TableColumn(title).RightAligned());
        }
        List<RunReport> runs = [];
        List<double[]> all = [];
        int repeat = parsed.GetValue(_repeat);
        for (int repetition = 1; repetition <= repeat; repetition++)
        {
            List<double> seconds = [];
            RunReport run = await RunAsync(parsed, repetition, seconds, ct);
            RunOutcome.Tell(run, repetition, repeat);
            runs.Add(run);
            if (run.Failures.Count > 0) continue;
            all.Add([.. seconds]);
            int removed = run.Processes.Sum(member => member.Starts!.Evictions);
            table.AddRow([$"{repetition}", .. seconds.Select(static one => $"{one:N1}"), $"{removed}"]);
        }
        string[] figures =
        [
            "seconds until all had started and joined", "seconds until all met", "seconds after the kill of the server",
            "seconds until all had left",
        ];
        return new ScenarioOutcome(
            runs,
            [
                .. figures.Select((figure, index) => VariantSummary.Of(
                    Variant.QuickSilver.Text(), 0, figure, all.Select(one => one[index]))),
            ],
            table);
    }

    private async Task<RunReport> RunAsync(
        ParseResult parsed, int repetition, List<double> seconds, CancellationToken ct)
    {
        var run = new RunReport { Variant = Variant.QuickSilver.Text(), Repetition = repetition };
        var limit = TimeSpan.FromSeconds(parsed.GetValue(_mostSeconds));
        int nodes = parsed.GetValue(_nodes);
        int port = FreePort.Find();
        string? key = parsed.GetValue(_security).Make();
        List<ChildProcess> busy = [];
        List<RoleProcess> members = [];
        try
        {
            for (int index = 0; index < parsed.GetValue(_load); index++) busy.Add(MakeBusy(index));
            long since = Stopwatch.GetTimestamp();
            for (int index = 0; index < nodes; index++)
            {
                members.Add(await RoleProcess.StartAsync(new RoleOrder
                {
                    Role = RoleKind.StartsMember,
                    Name = $"member-{index + 1}",
                    Receivers = nodes,
                    MeasuredSeconds = limit.TotalSeconds,
                    Cluster = $"starts-{Environment.ProcessId}-{repetition}",
                    MembershipPort = port,
                    Key = key,
                }));
            }
            await PhaseAsync(members.Select(static member => member.Ready), "to start and join");
            await CountAsync("to meet");
            int server = ListenerFinder.Find(port, members.Select(static member => member.Id))
                ?? throw new RunFailedException("no member serves the membership");
            RoleProcess killed = members.First(member => member.Id == server);
            killed.Kill();
            members.Remove(killed);
            await CountAsync("to go on without the killed server");
            foreach (RoleProcess member in members) await member.TellAsync(new RoleCommand("leave"));
            await PhaseAsync(members.Select(static member => member.Result), "to leave");
            ProcessReport[] reports = await Task.WhenAll(members.Select(static member => member.Result));
            int removed = reports.Sum(static report => report.Starts!.Evictions);
            return run with
            {
                Processes = reports,
                Failures = removed > 0 ? [$"{removed} times a member was removed that lived"] : [],
            };

            async Task CountAsync(string what)
            {
                foreach (RoleProcess member in members) await member.TellAsync(new RoleCommand("count"));
                await PhaseAsync(members.Select(static member => member.AnswerAsync("counted")), what);
            }

            async Task PhaseAsync(IEnumerable<Task> tasks, string what)
            {
                await RunLimit.WaitAsync(members, Task.WhenAll(tasks), limit, what, ct);
                seconds.Add(Stopwatch.GetElapsedTime(since).TotalSeconds);
                since = Stopwatch.GetTimestamp();
            }
        }
        catch (RunFailedException failure)
        {
            return run with { Failures = [failure.Message] };
        }
        finally
        {
            foreach (ChildProcess process in busy) process.Kill();
            await Task.WhenAll(busy.Select(static process => process.DisposeAsync().AsTask()));
            await Task.WhenAll(members.Select(static member => member.DisposeAsync().AsTask()));
        }
    }

    // It ends with its standard input, however this program ends.
    private static ChildProcess MakeBusy(int index) =>
        ChildProcess.Start($"busy-{index}", ["sh", "-c", "(while :; do :; done) & read -r _; kill $!"]);
}
