using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Limits;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>What dissemination is told; validated by the host. Defaults are the public options' defaults.</summary>
public sealed record DisseminationSettings
{
    /// <summary>Limits of what is pending: taken from sources, and not known stable.</summary>
    public PendingQuota Pending { get; init; } = new();

    /// <summary>How each stream is paced.</summary>
    public RateSettings Rate { get; init; } = new();

    /// <summary>Silence after which the first beacon follows the last packet.</summary>
    public TimeSpan BeaconDelay { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>Where the doubling of the beacons' distance ends.</summary>
    public TimeSpan MaxBeaconDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Round trip assumed before the first measurement: for as long a packet sent again is not sent once more to the same asker.</summary>
    public TimeSpan InitialRoundTrip { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
