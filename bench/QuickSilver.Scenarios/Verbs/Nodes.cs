using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;
using QuickSilver.Scenarios.Sweeps;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// One sender, more and more receivers. On one machine all share its processors, so the rate falls; what counts is the
/// processor time for a message and process, beside that of the raw loop, which is the kernel's own cost of one more
/// receiver.
/// </summary>
internal sealed class Nodes() : Sweep(
    "nodes",
    "One sender to 1, 3, 7 and 15 receivers, beside a raw multicast loop and a TCP fan-out; --warmup is for four, "
        + "longer for more.",
    "processes",
    ["quicksilver", "raw-packed", "tcp-blocking"],
    0)
{
    // All runtimes share the machine's processors while they compile, so more of them take longer to be warm.
    private const double NodesWarmAtOnce = 4;

    private readonly Option<int[]> _nodes = new("--nodes")
    {
        Description = "Processes, the sender included; may be repeated. Default: 2, 4, 8, 16.",
        DefaultValueFactory = _ => [2, 4, 8, 16],
    };

    private readonly Option<int> _size =
        new Option<int>("--size")
        {
            Description = "Bytes of a message.",
            DefaultValueFactory = _ => 1000
        }.AtLeast(MeasuredHeader.Bytes);
    private readonly Option<NetProfile> _net = NetOption.Make();

    /// <inheritdoc/>
    protected override bool TakesAgents => true;

    /// <inheritdoc/>
    protected override IReadOnlyList<Option> OwnOptions => [_nodes, _size, _net];

    /// <inheritdoc/>
    public override void Validate(System.CommandLine.Parsing.CommandResult result)
    {
        base.Validate(result);
        if (result.ValueOrDefault(_nodes).Any(nodes => nodes < 2)) result.AddError("--nodes is less than 2.");
    }

    /// <inheritdoc/>
    protected override IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis) =>
        parsed.GetValue(_nodes)!.Select(nodes => new SweepPoint(
            nodes,
            $"{nodes}",
            basis with
            {
                Receivers = nodes - 1,
                Size = parsed.GetValue(_size),
                Net = parsed.GetValue(_net),
                WarmUpSeconds = basis.WarmUpSeconds * Math.Max(1, nodes / NodesWarmAtOnce),
            }));
}
