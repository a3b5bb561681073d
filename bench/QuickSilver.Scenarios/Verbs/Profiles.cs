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
/// The same traffic over each kind of network: loopback with its packets of up to 65,536 bytes, a bridge with an MTU of
/// 1,500 over which trains still pass whole, and the same without segmentation offload, where every packet crosses by
/// itself as it would on a wire. Trains flatter the first two.
/// </summary>
internal sealed class Profiles() : Sweep(
    "profile",
    "The same traffic over loopback, a bridge, and a bridge without segmentation offload.",
    "network",
    ["quicksilver", "raw", "raw-trains", "raw-packed", "tcp-blocking"],
    20_000)
{
    private static readonly NetProfile[] All = [NetProfile.Loopback, NetProfile.Bridge, NetProfile.Wire];

    private readonly Option<NetProfile[]> _nets = new("--net")
    {
        Description = "host, loopback, bridge or wire; may be repeated. "
            + "Default: those of loopback, bridge and wire that this program can make, or host.",
        DefaultValueFactory = _ => [.. Makeable().DefaultIfEmpty(NetProfile.Host)],
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

    /// <inheritdoc/>
    protected override IReadOnlyList<Option> OwnOptions => [_nets, _receivers, _size];

    /// <inheritdoc/>
    public override void Validate(CommandResult result)
    {
        base.Validate(result);
        foreach (string refusal in result.ValueOrDefault(_nets).Select(NetworkLab.Refusal).OfType<string>().Distinct())
        {
            result.AddError($"--net: {refusal}.");
        }
    }

    /// <inheritdoc/>
    protected override IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis)
    {
        if (parsed.GetResult(_nets) is not { Implicit: false }) TellLeftOut();
        return parsed.GetValue(_nets)!.Select((net, number) => new SweepPoint(
            number,
            net.ToString().ToLowerInvariant(),
            basis with { Net = net, Receivers = parsed.GetValue(_receivers), Size = parsed.GetValue(_size) }));
    }

    private static IEnumerable<NetProfile> Makeable() => All.Where(net => NetworkLab.Refusal(net) is null);

    private static void TellLeftOut()
    {
        foreach (NetProfile net in All.Except(Makeable()))
        {
            Console.Error.WriteLine(
                $"profile: skipped {net.ToString().ToLowerInvariant()}: {NetworkLab.Refusal(net)}.");
        }
    }
}
