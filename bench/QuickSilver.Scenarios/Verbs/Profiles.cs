using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Samples;
using QuickSilver.Scenarios.Lab;
using QuickSilver.Scenarios.Peers;
using QuickSilver.Scenarios.Sweeps;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// The same traffic over each kind of network: loopback with its packets of up to 65,536 bytes, a bridge with an MTU of 1,500 over which trains still
/// pass whole, and the same without segmentation offload, where every packet crosses by itself as it would on a wire. Trains flatter the first two.
/// </summary>
internal sealed class Profiles() : Sweep("profile", "The same traffic over loopback, a bridge, and a bridge without segmentation offload.", "network", ["quicksilver", "raw", "raw-trains", "raw-packed", "tcp-blocking"], 20_000)
{
    private readonly Option<NetProfile[]> _nets = new("--net")
    {
        Description = "host, loopback, bridge or wire; may be repeated. Default: loopback, bridge, wire where this program may make network namespaces, else host.",
        DefaultValueFactory = _ => NetworkLab.CanMake ? [NetProfile.Loopback, NetProfile.Bridge, NetProfile.Wire] : [NetProfile.Host],
    };

    private readonly Option<int> _receivers = new Option<int>("--receivers") { Description = "Receiver processes.", DefaultValueFactory = _ => 3 }.AtLeast(1);
    private readonly Option<int> _size = new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 }.AtLeast(Traffic.MeasuredHeader.Bytes);

    /// <inheritdoc/>
    protected override IReadOnlyList<Option> OwnOptions => [_nets, _receivers, _size];

    /// <inheritdoc/>
    public override void Validate(CommandResult result)
    {
        base.Validate(result);
        if (!NetworkLab.CanMake && result.ValueOrDefault(_nets).Any(net => net != NetProfile.Host)) result.AddError("--net other than host needs Linux, root and iproute2.");
    }

    /// <inheritdoc/>
    protected override IEnumerable<SweepPoint> Points(ParseResult parsed, PeerSetting basis) =>
        parsed.GetValue(_nets)!.Select((net, number) => new SweepPoint(number, net.ToString().ToLowerInvariant(), basis with { Net = net, Receivers = parsed.GetValue(_receivers), Size = parsed.GetValue(_size) }));
}
