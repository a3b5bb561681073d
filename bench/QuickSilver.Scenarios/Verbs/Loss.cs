using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;
using QuickSilver.Scenarios.Sweeps;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// How much of the rate is kept, and how long a message takes, when each receiver loses packets on its own. In bridged
/// networks the network drops, for
/// every system alike; on loopback QuickSilver's receivers drop datagrams themselves, since a packet there reaches all
/// receivers at once.
/// </summary>
internal sealed class Loss() : Sweep(
    "loss",
    "Receivers that lose packets, each on its own: the rate that is kept, and the latency at a fixed rate.",
    "loss, %",
    ["quicksilver"],
    2000)
{
    private readonly Option<double[]> _drops = new("--drop")
    {
        Description = "Share of packets that a receiver loses; may be repeated. Default: 0, 0.001, 0.01, 0.05.",
        DefaultValueFactory = _ => [0, 0.001, 0.01, 0.05],
    };

    private readonly Option<int> _receivers =
        new Option<int>("--receivers") { Description = "Receiver processes.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<int> _size =
        new Option<int>("--size")
        {
            Description = "Bytes of a message.",
            DefaultValueFactory = _ => 1000
        }.AtLeast(
                    MeasuredHeader.Bytes);
    private readonly Option<NetProfile> _net = NetOption.Make();

    /// <inheritdoc/>
    protected override bool TakesAgents => true;

    /// <inheritdoc/>
    protected override IReadOnlyList<Option> OwnOptions => [_drops, _receivers, _size, _net];

    /// <inheritdoc/>
    public override void Validate(CommandResult result)
    {
        base.Validate(result);
        if (result.ValueOrDefault(_drops).Any(drop => !(drop >= 0 && drop < 1)))
            result.AddError("--drop is not in [0, 1).");
        if ((RunsOnAgents(result) || result.ValueOrDefault(_net) is NetProfile.Host or NetProfile.Loopback)
            && VariantsOf(result).Any(variant => variant != "quicksilver"))
        {
            result.AddError(
                "--variant other than quicksilver needs --net bridge or wire, where the network drops, and no agents.");
        }
    }

    /// <inheritdoc/>
    protected override IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis)
    {
        NetProfile net = parsed.GetValue(_net);
        // Agents leave their hosts' networks alone.
        bool byNetwork = basis.Agents is null && net is (NetProfile.Bridge or NetProfile.Wire);
        return parsed.GetValue(_drops)!.Select(drop => new SweepPoint(drop * 100, $"{drop * 100:0.###}", basis with
        {
            Receivers = parsed.GetValue(_receivers),
            Size = parsed.GetValue(_size),
            Net = net,
            Drop = byNetwork ? drop : 0,
            NodeDrop = byNetwork ? 0 : drop,
        }));
    }
}
