using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>The command line of scenarios that move messages from one sender to receivers.</summary>
internal sealed class TrafficOptions
{
    private const int LongestTrain = 65_493;

    private readonly Option<int> _receivers =
        new Option<int>("--receivers") { Description = "Receiver processes.", DefaultValueFactory = _ => 3 }.AtLeast(1);

    private readonly Option<int> _groups = new Option<int>("--groups")
    {
        Description = "Groups, all joined by all, sent to in turn. The raw loops have one.",
        DefaultValueFactory = _ => 1,
    }.AtLeast(1);

    private readonly Option<int> _size =
        new Option<int>("--size")
        {
            Description = "Bytes of a message.",
            DefaultValueFactory = _ => 1000
        }.AtLeast(MeasuredHeader.Bytes);

    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    {
        Description = "Seconds before measuring: about as long runtimes go on compiling what runs.",
        DefaultValueFactory = _ => 8,
    }.AtLeast(0);

    private readonly Option<double> _seconds =
        new Option<double>("--seconds") { Description = "Seconds measured.", DefaultValueFactory = _ => 3 }.Above(0);

    private readonly Option<SendStyle> _send =
        new("--send")
        {
            Description = "How QuickSilver is told to send: async, try or feed.",
            DefaultValueFactory = _ => SendStyle.Async
        };

    private readonly Option<TransportKind> _transport =
        new("--transport")
        {
            Description = "How QuickSilver's messages travel.",
            DefaultValueFactory = _ => TransportKind.Auto
        };

    private readonly Option<double> _spin = new Option<double>("--spin")
    {
        Description = "Microseconds that QuickSilver's core threads look for work before they sleep.",
        DefaultValueFactory = _ => 0,
    }.AtLeast(0);

    private readonly Option<int[]> _datagrams = new("--datagram")
    {
        Description = "Bytes of QuickSilver's datagrams; 0: its own choice; may be repeated, for a row each.",
        DefaultValueFactory = _ => [0],
    };

    private readonly Option<RunSecurity[]> _security = SecurityOption.Make();

    private readonly Option<double> _drop = new Option<double>("--drop")
    {
        Description = "Share of the datagrams that each QuickSilver receiver drops.",
        DefaultValueFactory = _ => 0,
    }.Share();

    private readonly Option<int> _train =
        new Option<int>("--train")
        { Description = "Datagrams in a raw train.", DefaultValueFactory = _ => 32 }.AtLeast(1);

    private readonly Option<string> _rawGroup =
        new("--raw-group")
        {
            Description = "Multicast address of the raw loops.",
            DefaultValueFactory = _ => "239.192.67.1"
        };

    private readonly AgentOptions _agents = new();

    private readonly Option<int> _repeat;

    private readonly Option<Variant[]> _variants;
    private readonly IReadOnlyList<Option> _traffic;

    /// <summary>With the variants that the scenario can measure, all by default.</summary>
    public TrafficOptions(params Variant[] variants)
    {
        _repeat =
            new Option<int>("--repeat")
            {
                Description = "Repetitions, the variants interleaved.",
                DefaultValueFactory = _ => Repetitions
            }.AtLeast(1);
        _variants = new Option<Variant[]>("--variant")
        {
            Description = $"What to measure; may be repeated. Default: {string.Join(", ", variants)}.",
            DefaultValueFactory = _ => variants,
        };
        _traffic = [
            _variants, _receivers, _groups, _size, _warmUp, _seconds, _repeat, _send, _transport, _spin, _datagrams,
            _security, _drop, _train, _rawGroup];
    }

    /// <summary>Whether the scenario can run on several hosts.</summary>
    public bool TakesAgents { get; init; }

    /// <summary>How often each is measured unless said otherwise.</summary>
    public int Repetitions { get; init; } = 5;

    /// <summary>To add to the command.</summary>
    public IReadOnlyList<Option> All => [.. _traffic, .. TakesAgents ? _agents.All : []];

    /// <summary>Refuses what cannot be run.</summary>
    public void Validate(CommandResult result)
    {
        if (TakesAgents) _agents.Validate(result);
        if (result.ValueOrDefault(_datagrams).Any(bytes => bytes < 0)) result.AddError("--datagram is negative.");
        if (result.ValueOrDefault(_train) * result.ValueOrDefault(_size) > LongestTrain)
        {
            result.AddError($"--train times --size is more than {LongestTrain}, the longest train.");
        }
    }

    /// <summary>Calls or starts the agents; null when there are none.</summary>
    public async Task<AgentCluster?> OpenAgentsAsync(ParseResult parsed, CancellationToken ct) =>
        TakesAgents ? await _agents.OpenAsync(parsed, ct) : null;

    /// <summary>What was said.</summary>
    public TrafficPlan Read(ParseResult parsed) => new()
    {
        Variants = [.. Variants(parsed)],
        Receivers = parsed.GetValue(_receivers),
        Groups = parsed.GetValue(_groups),
        Size = parsed.GetValue(_size),
        WarmUpSeconds = parsed.GetValue(_warmUp),
        MeasuredSeconds = parsed.GetValue(_seconds),
        Repetitions = parsed.GetValue(_repeat),
        Send = parsed.GetValue(_send),
        Transport = parsed.GetValue(_transport),
        SpinMicros = parsed.GetValue(_spin),
        Drop = parsed.GetValue(_drop),
        TrainLength = parsed.GetValue(_train),
        RawGroup = parsed.GetValue(_rawGroup)!,
    };
    // A row for each setting; what it does not reach has one.
    private IEnumerable<TrafficVariant> Variants(ParseResult parsed) => (
        from kind in parsed.GetValue(_variants)!
        from datagram in parsed.GetValue(_datagrams)!
        from security in parsed.GetValue(_security)!
        let variant = new TrafficVariant(kind, security, datagram)
        select variant.IsRaw ? new TrafficVariant(kind) : variant).Distinct();
}
