using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Modes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// Groups of all modes in the same nodes, under loss: how long each mode's messages take, what repairs them, and what
/// reliable groups notice of the others. Each mode runs alone as well, which gives its processor time; TCP carries the
/// same messages over a connection between every two nodes.
/// </summary>
internal sealed class Modes : IScenario
{
    private const int ModeCount = 3;

    private readonly Option<int> _nodes = new Option<int>("--nodes")
    { Description = "Member processes.", DefaultValueFactory = _ => 8 }.AtLeast(2);
    private readonly Option<int> _groups = new Option<int>("--groups")
    { Description = "Groups, a third of each mode, all joined by all.", DefaultValueFactory = _ => 200 }.AtLeast(3);
    private readonly Option<double> _rate = new Option<double>("--rate")
    { Description = "Messages a second to each group.", DefaultValueFactory = _ => 10 }.Above(0);
    private readonly Option<double> _paced = new Option<double>("--paced")
    {
        Description = "Messages a second of the paced runs: from one member, to its reliable groups in turn.",
        DefaultValueFactory = _ => 20_000,
    }.Above(0);

    private readonly Option<int> _size = new Option<int>("--size")
    { Description = "Bytes of a message.", DefaultValueFactory = _ => 200 }.AtLeast(MeasuredHeader.Bytes);
    private readonly Option<double[]> _drops = new("--drop")
    {
        Description = "Share of packets that each member loses; may be repeated. Default: 0.01, 0.05.",
        DefaultValueFactory = _ => [0.01, 0.05],
    };

    private readonly Option<ModesRun[]> _runs = new("--run")
    {
        Description = "Which runs: mixed, reliable, lateral, timed, tcp, paced, pacedMixed, full, "
            + "fullMixed; may be repeated. Default: all.",
        DefaultValueFactory = _ => Enum.GetValues<ModesRun>(),
    };

    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    { Description = "Seconds before measuring.", DefaultValueFactory = _ => 20 }.AtLeast(0);
    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "Seconds measured.", DefaultValueFactory = _ => 20 }.Above(0);
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Repetitions.", DefaultValueFactory = _ => 1 }.AtLeast(1);
    private readonly Option<NetProfile> _net = NetOption.MakeForLoss();

    /// <inheritdoc/>
    public string Verb => "modes";

    /// <inheritdoc/>
    public string Summary =>
        "Reliable, lateral and timed groups in the same nodes, under loss, beside each mode alone and TCP.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
        [_nodes, _groups, _rate, _paced, _size, _drops, _runs, _warmUp, _seconds, _repeat, _net];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        if (result.ValueOrDefault(_drops)!.Any(drop => drop is < 0 or >= 1)) result.AddError("--drop is not a share.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        NetProfile net = parsed.GetValue(_net);
        bool byNetwork = net is NetProfile.Bridge or NetProfile.Wire;
        if (!byNetwork) Console.Error.WriteLine("No firewall here: members drop datagrams by themselves.");
        double[] drops = parsed.GetValue(_drops)!;
        ModesRun[] kinds = parsed.GetValue(_runs)!;
        // Where the network does not drop, TCP has no loss, and there is nothing to set beside.
        if (!byNetwork) kinds = [.. kinds.Where(static kind => kind != ModesRun.Tcp)];
        List<RunReport> runs = [];
        int all = parsed.GetValue(_repeat) * drops.Length * kinds.Length;
        for (int repetition = 1; repetition <= parsed.GetValue(_repeat); repetition++)
        {
            foreach (double drop in drops)
            {
                foreach (ModesRun kind in kinds)
                {
                    RunReport run = await Plan(parsed, drop, kind).RunAsync(New(kind, drop), ct);
                    runs.Add(run with { Repetition = repetition });
                    RunOutcome.Tell(runs[^1], runs.Count, all);
                }
            }
        }
        return new ScenarioOutcome(runs, ModesTable.Summarize(runs), ModesTable.Make(runs));
    }

    private static RunReport New(ModesRun kind, double drop) => new()
    {
        Variant = kind.ToString(),
        Setting = $"{drop * 100:0.###} %",
    };

    private ModesPlan Plan(ParseResult parsed, double drop, ModesRun kind)
    {
        double rate = parsed.GetValue(_rate);
        int third = parsed.GetValue(_groups) / ModeCount;
        int first = parsed.GetValue(_groups) - (2 * third);
        ModeOrder reliable = kind switch
        {
            ModesRun.Full or ModesRun.FullMixed => new(GroupMode.Reliable, first, 0),
            ModesRun.Paced or ModesRun.PacedMixed =>
                new(GroupMode.Reliable, first, parsed.GetValue(_paced) / first, IsFromOne: true),
            _ => new(GroupMode.Reliable, first, rate),
        };
        ModeOrder lateral = new(GroupMode.Lateral, third, rate);
        ModeOrder timed = new(GroupMode.Timed, third, rate);
        return new ModesPlan
        {
            Net = parsed.GetValue(_net),
            Members = parsed.GetValue(_nodes),
            Size = parsed.GetValue(_size),
            Drop = drop,
            WarmUpSeconds = parsed.GetValue(_warmUp),
            MeasuredSeconds = parsed.GetValue(_seconds),
            IsTcp = kind == ModesRun.Tcp,
            Modes = kind switch
            {
                ModesRun.Tcp => [new(GroupMode.Reliable, parsed.GetValue(_groups), rate)],
                ModesRun.Mixed or ModesRun.PacedMixed or ModesRun.FullMixed => [reliable, lateral, timed],
                ModesRun.Lateral => [lateral],
                ModesRun.Timed => [timed],
                _ => [reliable],
            },
        };
    }
}
