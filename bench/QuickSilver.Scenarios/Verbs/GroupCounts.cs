using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;
using QuickSilver.Scenarios.Sweeps;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// One sender to more and more groups, in turn, that all receivers are in: what a group costs. The ratio to the first
/// number of groups is taken within each repetition.
/// </summary>
internal sealed class GroupCounts() : Sweep(
    "groups",
    "One sender to 1 up to 8,192 groups in turn: rate, load, memory, token round trip and loop turns by groups.",
    "groups",
    ["quicksilver", "quicksilver-udp"],
    0)
{
    private readonly Option<int[]> _groups = new("--groups")
    {
        Description = "Groups; may be repeated. Default: 1, 10, 100, 1000, 4096, 8192.",
        DefaultValueFactory = _ => [1, 10, 100, 1000, 4096, 8192],
    };

    private readonly Option<int[]> _sizes = new("--size")
    {
        Description = "Bytes of a message; may be repeated. Default: 1000, 64.",
        DefaultValueFactory = _ => [1000, 64],
    };

    private readonly Option<SendStyle[]> _sends = new("--send")
    {
        Description = "How messages are sent: async, try or feed; may be repeated. Default: async, feed.",
        DefaultValueFactory = _ => [SendStyle.Async, SendStyle.Feed],
    };

    private readonly Option<int> _receivers =
        new Option<int>("--receivers") { Description = "Receiver processes.", DefaultValueFactory = _ => 3 }.AtLeast(1);

    private readonly Option<double> _drop = new Option<double>("--drop")
    {
        Description = "Share of datagrams that each receiver drops at the fixed rate.",
        DefaultValueFactory = _ => 0,
    }.Share();

    private readonly Option<bool> _onlyRate = new("--only-rate")
    {
        Description = "Measure at the fixed rate only.",
    };

    private readonly Option<NetProfile> _net = NetOption.Make();

    /// <inheritdoc/>
    protected override bool TakesAgents => true;

    /// <inheritdoc/>
    protected override IReadOnlyList<Option> OwnOptions =>
        [_groups, _sizes, _sends, _receivers, _drop, _onlyRate, _net];

    /// <inheritdoc/>
    public override void Validate(CommandResult result)
    {
        base.Validate(result);
        if (result.ValueOrDefault(_groups).Any(groups => groups < 1)) result.AddError("--groups is less than 1.");
        if (result.ValueOrDefault(_sizes).Any(size => size < MeasuredHeader.Bytes))
            result.AddError($"--size is less than {MeasuredHeader.Bytes}.");
        if (VariantsOf(result).Any(variant => !variant.StartsWith("quicksilver", StringComparison.Ordinal)))
            result.AddError("--variant: only QuickSilver has groups.");
    }

    /// <inheritdoc/>
    protected override IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis) =>
        from send in parsed.GetValue(_sends)!
        from size in parsed.GetValue(_sizes)!
        from groups in parsed.GetValue(_groups)!
        select new SweepPoint(
            groups,
            $"{groups:N0}",
            basis with
            {
                Receivers = parsed.GetValue(_receivers),
                Size = size,
                Send = send,
                Groups = groups,
                Net = parsed.GetValue(_net),
            });

    /// <inheritdoc/>
    protected override bool IsAtFullSpeed(ParseResult parsed) => !parsed.GetValue(_onlyRate);

    // A latency at a fixed rate is not to be that of the runtime's compiler, as in `latency`.
    /// <inheritdoc/>
    protected override PeerSetting AtRate(ParseResult parsed, PeerSetting setting) =>
        setting with { NodeDrop = parsed.GetValue(_drop), CompilesOnce = true };

    /// <inheritdoc/>
    protected override ScenarioOutcome Report(SweepFindings findings, string? svg)
    {
        var table = new GroupCountTable(findings);
        var outcome = new ScenarioOutcome(findings.Runs, table.Summary, table.Make());
        if (svg is not null) table.Draw(svg);
        return outcome;
    }
}
