using System.CommandLine;
using System.CommandLine.Parsing;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using QuickSilver.Bench;
using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// The papers' disturbances with real processes, by the names that the simulator gives them: something is done to one
/// receiver, and the curves of all are written down.
/// </summary>
internal sealed class Disturb : IScenario
{
    private const int Victim = 3;
    private const int Witness = 4;
    private const double CalmFrom = 3;
    private const double Begin = 10;
    private const int BinsPerSecond = (int)(1 / DisturbedRole.BinSeconds);
    private static readonly string[] Names = [
        "loss", "loss-100ms", "loss-250ms", "loss-500ms", "crash", "freeze", "overload", "sleep"];
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(30);

    private readonly Option<string> _name =
        new Option<string>("--name")
        {
            Description = "Which: " + string.Join(", ", Names) + "; or all.",
            DefaultValueFactory = _ => "all"
        };
    private readonly Option<int> _nodes =
        new Option<int>("--nodes")
        { Description = "Member processes.", DefaultValueFactory = _ => 10 }.AtLeast(Witness + 1);
    private readonly Option<double> _rate =
        new Option<double>("--rate")
        { Description = "Messages a second of the sender.", DefaultValueFactory = _ => 3000 }.Above(0);
    private readonly Option<int> _size =
        new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 }.AtLeast(24);
    private readonly Option<double> _seconds =
        new Option<double>("--seconds")
        { Description = "Seconds of each.", DefaultValueFactory = _ => 40 }.Above(Begin);

    private readonly Option<double> _warmup = new Option<double>("--warmup")
    {
        Description = "Seconds of sending before each: what is called once a second is compiled after thirty.",
        DefaultValueFactory = _ => 35,
    }.AtLeast(0);

    private readonly Option<TransportKind> _transport =
        new("--transport") { Description = "How messages travel.", DefaultValueFactory = _ => TransportKind.Auto };
    private readonly Option<string?> _csv = new("--csv")
    { Description = "Directory for the curves, one file each.", HelpName = "DIR" };

    /// <inheritdoc/>
    public string Verb => "disturb";

    /// <inheritdoc/>
    public string Summary => "The papers' disturbances: loss in bursts, crash, freeze, overload, sleep; rates by time.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_name, _nodes, _rate, _size, _warmup, _seconds, _transport, _csv];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (!OperatingSystem.IsLinux()) result.AddError("disturb sends signals to processes: Linux only.");
        string name = result.ValueOrDefault(_name);
        if (name != "all" && !Names.Contains(name)) result.AddError($"No disturbance is named {name}.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("disturbance");
        foreach (string title in (string[])["calm/s", "disturbed/s", "cost", "at a witness/s", "deviation of 1 s bins"])
        {
            table.AddColumn(new TableColumn(title).RightAligned());
        }
        List<RunReport> runs = [];
        string wanted = parsed.GetValue(_name)!;
        string[] names = [.. Names.Where(name => wanted == "all" || wanted == name)];
        foreach (string name in names)
        {
            RunReport run = await RunOneAsync(name, parsed, ct);
            RunOutcome.Tell(run, runs.Count + 1, names.Length);
            runs.Add(run);
            if (run.Disturbance is not { } found) continue;
            table.AddRow(
                name,
                $"{found.CalmRate:N0}",
                $"{found.DisturbedRate:N0}",
                $"{found.Loss:P1}",
                $"{found.WitnessRate:N0}",
                $"{found.Oscillation:P1}");
            if (parsed.GetValue(_csv) is { } directory)
                WriteCurve(Path.Combine(Directory.CreateDirectory(directory).FullName, $"{name}.csv"), run);
        }
        return new ScenarioOutcome(runs, [], table);
    }

    private async Task<RunReport> RunOneAsync(string name, ParseResult parsed, CancellationToken ct)
    {
        int senders = name == "overload" ? 2 : 1;
        double rate = name == "overload" ? 0 : parsed.GetValue(_rate);
        double seconds = parsed.GetValue(_seconds);
        var report = new RunReport { Variant = name, Repetition = 1, OfferedRate = rate };
        var options = new QuickSilverOptions
        {
            ClusterName = $"disturb-{Environment.ProcessId}-{name}",
            NodeName = "host"
        };
        options.Membership.Port = FreePort.Find();
        options.Transport.Kind = parsed.GetValue(_transport);
        options.Security.UseNone();
        if (name == "freeze") options.Membership.FailureTimeout = Timeout.InfiniteTimeSpan;
        await using QuickSilverNode host = await QuickSilverNode.StartAsync(options, ct);
        using var spawner = new Spawner();
        var members = new List<ChaosProcess>();
        try
        {
            for (int number = 0; number < parsed.GetValue(_nodes); number++)
            {
                members.Add(await ChaosProcess.StartAsync(spawner, new RoleOrder
                {
                    Role = RoleKind.DisturbedMember,
                    Name = number < senders ? $"sender-{number + 1}" : $"receiver-{number}",
                    Number = number,
                    Senders = senders,
                    Receivers = parsed.GetValue(_nodes),
                    Size = parsed.GetValue(_size),
                    Rate = rate,
                    MeasuredSeconds = seconds,
                    Cluster = options.ClusterName,
                    MembershipPort = options.Membership.Port,
                    Transport = options.Transport.Kind,
                    DeafSeconds = number == Victim ? DeafSeconds(name) : 0,
                }));
            }
            await Task.WhenAll(members.Select(member => member.Said("ready"))).WaitAsync(StartLimit, ct);
            double warmup = parsed.GetValue(_warmup);
            long go = Stopwatch.GetTimestamp() + (long)(warmup * Stopwatch.Frequency);
            foreach (ChaosProcess member in members) await member.TellAsync("go", go);
            await DisturbAsync(name, members[Victim], go, seconds, ct);
            ChaosProcess[] alive = [.. members.Where(member => !member.IsMeantToEnd)];
            await Task.WhenAll(alive.Select(member => member.Said("result")))
                .WaitAsync(TimeSpan.FromSeconds(warmup + seconds) + Slack, ct);
            return Judge(name, report with { Processes = [.. alive.Select(member => member.Result!)] });
        }
        catch (TimeoutException)
        {
            return report with
            {
                Failures = [
                    "the members took too long", .. members.Select(member => member.Failure).OfType<string>()]
            };
        }
        finally
        {
            foreach (ChaosProcess member in members) await member.DisposeAsync();
        }
    }

    private static double DeafSeconds(string name) => name switch
    {
        "loss" => 1,
        "loss-100ms" => 0.1,
        "loss-250ms" => 0.25,
        "loss-500ms" => 0.5,
        _ => 0,
    };

    private static async Task DisturbAsync(
        string name, ChaosProcess victim, long go, double seconds, CancellationToken ct)
    {
        switch (name)
        {
            case "crash":
                await UntilAsync(Begin);
                await victim.KillAsync();
                break;
            case "freeze":
                await UntilAsync(Begin);
                await StopAsync(10);
                break;
            case "sleep":
                for (double at = Begin; at < seconds; at += 5)
                {
                    await UntilAsync(at);
                    await StopAsync(0.5);
                }
                break;
        }

        async Task StopAsync(double length)
        {
            Signals.Stop(victim.Id);
            await Task.Delay(TimeSpan.FromSeconds(length), ct);
            Signals.Continue(victim.Id);
        }

        async Task UntilAsync(double at)
        {
            TimeSpan left = TimeSpan.FromSeconds(at) - Stopwatch.GetElapsedTime(go);
            if (left > TimeSpan.Zero) await Task.Delay(left, ct);
        }
    }

    private static RunReport Judge(string name, RunReport run)
    {
        long sent = run.Processes.Sum(process => process.Sent);
        List<string> failures = [];
        foreach (ProcessReport process in run.Processes)
        {
            if (process.OutOfOrder > 0)
                failures.Add($"{process.Process} had {process.OutOfOrder} messages out of order");
            if (process.Delivered != sent)
                failures.Add($"{process.Process} had {process.Delivered} of {sent} messages");
        }
        double seconds = run.Processes[0].MeasuredSeconds;
        double[] sentBySecond = BySecond(run.Processes.Select(process => process.SentBins!), seconds);
        IEnumerable<ProcessReport> witnesses = run.Processes.Where(process => process.Process == $"receiver-{Witness}");
        double[] witness = BySecond(witnesses.Select(process => process.DeliveredBins!), seconds);
        double[] disturbed = witness[(int)Begin..];
        double mean = disturbed.Average();
        double deviation = Math.Sqrt(disturbed.Average(rate => (rate - mean) * (rate - mean)));
        return run with
        {
            Failures = failures,
            Disturbance = new DisturbanceReport(
                name,
                sentBySecond[(int)CalmFrom..(int)Begin].Average(),
                sentBySecond[(int)Begin..].Average(),
                mean,
                mean > 0 ? deviation / mean : 0),
        };
    }

    private static double[] BySecond(IEnumerable<IReadOnlyList<long>> bins, double seconds)
    {
        double[] sums = new double[(int)seconds];
        foreach (IReadOnlyList<long> of in bins)
        {
            for (int bin = 0; bin < sums.Length * BinsPerSecond; bin++) sums[bin / BinsPerSecond] += of[bin];
        }
        return sums;
    }

    private static void WriteCurve(string path, RunReport run)
    {
        IReadOnlyList<long>[] sent = [.. run.Processes.Select(process => process.SentBins!)];
        IReadOnlyList<long>? Of(int member) =>
            run.Processes.FirstOrDefault(process => process.Process == $"receiver-{member}")?.DeliveredBins;
        var text = new StringBuilder("time_s,sent_per_s,witness_per_s,victim_per_s\n");
        for (int bin = 0; bin < run.Processes[0].MeasuredSeconds * BinsPerSecond; bin++)
        {
            double total = sent.Sum(bins => bins[bin]) * BinsPerSecond;
            text.Append(
                CultureInfo.InvariantCulture,
                $"{(bin + 1) * DisturbedRole.BinSeconds:F2},{total:F0},"
                    + $"{Of(Witness)![bin] * BinsPerSecond},{Of(Victim)?[bin] * BinsPerSecond}\n");
        }
        File.WriteAllText(path, text.ToString());
    }
}
