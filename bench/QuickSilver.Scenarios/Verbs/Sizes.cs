using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;
using QuickSilver.Scenarios.Sweeps;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>Messages from a few bytes to many datagrams: where the cost of a message ends and that of a byte
/// begins.</summary>
internal sealed class Sizes() : Sweep(
    "sizes",
    "Messages of 64 bytes to 60,000, beside a raw multicast loop and a TCP fan-out.",
    "bytes",
    ["quicksilver", "raw-packed", "tcp-blocking"],
    0)
{
    private const int LargestDatagram = 65_493;

    private readonly Option<int[]> _sizes = new("--size")
    {
        Description = "Bytes of a message; may be repeated. Default: 64, 250, 1000, 4000, 16000, 60000.",
        DefaultValueFactory = _ => [64, 250, 1000, 4000, 16_000, 60_000],
    };

    private readonly Option<int> _receivers =
        new Option<int>("--receivers") { Description = "Receiver processes.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<NetProfile> _net = NetOption.Make();

    /// <inheritdoc/>
    protected override IReadOnlyList<Option> OwnOptions => [_sizes, _receivers, _net];

    /// <inheritdoc/>
    public override void Validate(CommandResult result)
    {
        base.Validate(result);
        if (result.ValueOrDefault(_sizes).Any(size => size is < MeasuredHeader.Bytes or > LargestDatagram))
        {
            result.AddError(
                $"--size is not in {MeasuredHeader.Bytes} to {LargestDatagram}, which the raw loop can send.");
        }
    }

    /// <inheritdoc/>
    protected override IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis) =>
        parsed.GetValue(_sizes)!.Select(size => new SweepPoint(
            size,
            $"{size:N0}",
            basis with { Receivers = parsed.GetValue(_receivers), Size = size, Net = parsed.GetValue(_net) }));
}
