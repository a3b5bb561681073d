using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Scenarios.Arguments;
using QuickSilver.Scenarios.Verbs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Sweeps;

/// <summary>
/// A scenario that varies one thing and keeps the rest: QuickSilver and what it is compared with, at full speed and
/// optionally at a fixed rate, at each point of an axis; variants and points interleaved, everything repeated.
/// </summary>
/// <param name="verb">On the command line.</param>
/// <param name="summary">For <c>--help</c>.</param>
/// <param name="axis">What is varied, for tables and plots.</param>
/// <param name="variants">Measured by default: names of the <see cref="PeerCatalog"/>.</param>
/// <param name="rate">Messages a second of the runs at a fixed rate, by default; 0: none.</param>
internal abstract class Sweep(string verb, string summary, string axis, IReadOnlyList<string> variants, double rate)
    : IScenario
{
    private readonly Option<string[]> _variants = new("--variant")
    {
        Description = $"Systems of `peers`; may be repeated. Default: {string.Join(", ", variants)}.",
        DefaultValueFactory = _ => [.. variants],
    };

    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    {
        Description = "Seconds before measuring: about as long runtimes go on compiling what runs.",
        DefaultValueFactory = _ => 8,
    }.AtLeast(0);

    private readonly Option<double> _seconds =
        new Option<double>("--seconds")
        { Description = "Seconds measured at full speed.", DefaultValueFactory = _ => 3 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Repetitions.", DefaultValueFactory = _ => 5 }.AtLeast(1);

    private readonly Option<double> _rate = new Option<double>("--rate")
    {
        Description = "Messages a second of the runs at a fixed rate; 0: none.",
        DefaultValueFactory = _ => rate,
    }.AtLeast(0);

    private readonly Option<double> _rateSeconds = new Option<double>("--rate-seconds")
    {
        Description = "Seconds measured at the fixed rate; 0: as --seconds.",
        DefaultValueFactory = _ => 0,
    }.AtLeast(0);

    private readonly OwnOptions _own = new();
    private readonly AgentOptions _agents = new();

    private readonly Option<int> _slot = new Option<int>("--slot")
    {
        Description = "Bytes of a packed raw datagram; 0: 8000 on loopback, 1372 else.",
        DefaultValueFactory = _ => 0,
    }.AtLeast(0);

    private readonly Option<DirectoryInfo?> _build = new("--build")
    { Description = "Where bench/peers/run has put the adapters." };
    private readonly Option<FileInfo?> _svg = new("--svg")
    { Description = "Write a plot of the rates to this file (by gnuplot)." };

    /// <inheritdoc/>
    public string Verb => verb;

    /// <inheritdoc/>
    public string Summary => summary;

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
                [
            .. OwnOptions, _variants, _warmUp, _seconds, _repeat, _rate, _rateSeconds, _slot,
            .. _own.All.Where(option => OwnOptions.All(own => own.Name != option.Name)), _build, _svg,
            .. TakesAgents ? _agents.All : [],
        ];

    /// <summary>Whether it can run on several hosts.</summary>
    protected virtual bool TakesAgents => false;

    /// <summary>Options of this sweep alone.</summary>
    protected abstract IReadOnlyList<Option> OwnOptions { get; }

    /// <inheritdoc/>
    public virtual void Validate(CommandResult result)
    {
        if (TakesAgents) _agents.Validate(result);
        foreach (string name in result.ValueOrDefault(_variants))
        {
            if (PeerCatalog.All.All(peer => peer.Name != name))
            {
                result.AddError(
                    $"--variant {name}: there are {string.Join(", ", PeerCatalog.All.Select(peer => peer.Name))}.");
            }
        }
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        string[] names = parsed.GetValue(_variants)!;
        List<Peer> peers = _own.Peers(parsed, names);
        var build = new PeerBuild(
            parsed.GetValue(_build)?.FullName ?? Path.Combine(Path.GetTempPath(), "quicksilver-peers"));
        await using AgentCluster? cluster = TakesAgents ? await _agents.OpenAsync(parsed, ct) : null;
        PeerSetting basis = _own.Apply(parsed, new PeerSetting
        {
            Net = NetProfile.Host,
            Receivers = 3,
            Size = 1000,
            WarmUpSeconds = parsed.GetValue(_warmUp),
            MeasuredSeconds = parsed.GetValue(_seconds),
            Slot = parsed.GetValue(_slot),
            Agents = cluster,
        });
        List<SweepPoint> points = [
            .. Points(parsed, basis).Select(point => point with { Setting = WithSlot(point.Setting) })];
        double fixedRate = parsed.GetValue(_rate), fixedSeconds = parsed.GetValue(_rateSeconds);
        List<PeerSetting> settings = IsAtFullSpeed(parsed) ? [.. points.Select(point => point.Setting)] : [];
        if (fixedRate > 0)
        {
            points = [.. points.Select(point => point with
            {
                RateSetting = AtRate(parsed, point.Setting) with
                {
                    Rate = fixedRate,
                    MeasuredSeconds = fixedSeconds > 0 ? fixedSeconds : point.Setting.MeasuredSeconds,
                },
            })];
            settings.AddRange(points.Select(point => point.RateSetting!));
        }

        List<RunReport> runs = await new PeerBench(peers, build).RunAsync(settings, parsed.GetValue(_repeat), ct);
        ScenarioOutcome outcome = Report(
            new SweepFindings(axis, peers, points, runs, fixedRate), parsed.GetValue(_svg)?.FullName);
        int receivers = points.Max(point => point.Setting.Receivers);
        return outcome with
        {
            Table = new Rows(HostTable.With(outcome.Table, cluster, receivers), new Text(RunKeys.Legend)),
            Hosts = HostsOf(cluster),
        };
    }

    /// <summary>Sums up, and draws.</summary>
    /// <param name="findings">All runs.</param>
    /// <param name="svg">The file of the plot; null: none.</param>
    protected virtual ScenarioOutcome Report(SweepFindings findings, string? svg)
    {
        var table = new SweepTable(findings);
        ScenarioOutcome outcome = new(findings.Runs, table.Summary, table.Make());
        if (svg is not null) Plot.Lines(svg, summary, axis, SweepTable.RateFigure, table.Rates);
        return outcome;
    }

    /// <summary>Whether it was told to run on several hosts.</summary>
    protected bool RunsOnAgents(CommandResult result) => _agents.AreGiven(result);

    /// <summary>What the agents' hosts are; null without agents.</summary>
    protected static IReadOnlyList<HostFacts>? HostsOf(AgentCluster? cluster) =>
        cluster?.Agents.Select(agent => agent.Facts).ToList();

    /// <summary>Whether full speed is measured as well as the fixed rate.</summary>
    protected virtual bool IsAtFullSpeed(ParseResult parsed) => true;

    /// <summary>What else is different at the fixed rate.</summary>
    protected virtual PeerSetting AtRate(ParseResult parsed, PeerSetting setting) => setting;

    /// <summary>The systems that are asked for.</summary>
    protected IReadOnlyList<string> VariantsOf(CommandResult result) => result.ValueOrDefault(_variants);

    /// <summary>The axis.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="basis">What stays the same; its network is the host's.</param>
    protected abstract IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis);

    private static PeerSetting WithSlot(PeerSetting setting) =>
        setting.Slot > 0
            ? setting : setting with { Slot = setting.Net is NetProfile.Bridge or NetProfile.Wire ? 1372 : 8000 };
}
