using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// The configuration of dissemination, validated by the host. Defaults are the public options' defaults.
/// </summary>
internal sealed record DisseminationSettings
{
    /// <summary>How each stream is paced.</summary>
    public RateSettings Rate { get; init; } = new();

    /// <summary>Silence after which the first beacon follows the last packet.</summary>
    public TimeSpan BeaconDelay { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>The limit up to which the distance of beacons doubles.</summary>
    public TimeSpan MaxBeaconDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Round trip assumed before the first measurement: within it, a packet sent again is not repeated to the same
    /// asker.
    /// </summary>
    public TimeSpan InitialRoundTrip { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>True when datagrams are sealed: then packets have no checksums of their own.</summary>
    internal bool IsSealed { get; init; }

    /// <summary>Hooks by which tests of the simulator observe and steer the internals.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
