namespace QuickSilver.Protocol.Dissemination;

/// <summary>What dissemination is told; validated by the host. Defaults are the public options' defaults.</summary>
public sealed record DisseminationSettings
{
    /// <summary>Most messages pending per stream, admitted ones that wait included.</summary>
    public int MaxPendingMessages { get; init; } = 100_000;

    /// <summary>Most bytes pending per stream.</summary>
    public long MaxPendingBytes { get; init; } = 64L << 20;

    /// <summary>Most bytes pending in all streams.</summary>
    public long NodeMaxPendingBytes { get; init; } = 256L << 20;

    /// <summary>True: the rate is fixed at <see cref="InitialRate"/>; false: it follows the slowest member's intake.</summary>
    public bool FixedRate { get; init; }

    /// <summary>Packets per second and stream before the first feedback.</summary>
    public int InitialRate { get; init; } = 10_000;

    /// <summary>Slowest rate in packets per second and stream.</summary>
    public int MinRate { get; init; } = 100;

    /// <summary>Fastest rate in packets per second and stream; 0: none.</summary>
    public int MaxRate { get; init; }

    /// <summary>Silence after which the first beacon follows the last packet.</summary>
    public TimeSpan BeaconDelay { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>Where the doubling of the beacons' distance ends.</summary>
    public TimeSpan MaxBeaconDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Round trip assumed before the first measurement: for as long a packet sent again is not sent once more to the same asker.</summary>
    public TimeSpan InitialRoundTrip { get; init; } = TimeSpan.FromMilliseconds(20);
}
