namespace QuickSilver.Bench.Modes;

/// <summary>What one member did in the groups of one mode. Counts are of the whole run; latency and rate of its
/// measured part.</summary>
internal sealed record ModeReport
{
    public required GroupMode Mode { get; init; }

    public long Sent { get; init; }

    /// <summary>Messages sent in the measured part.</summary>
    public long MeasuredSent { get; init; }

    /// <summary>Messages of others, each counted once.</summary>
    public long Delivered { get; init; }

    /// <summary>Messages of the measured part among them.</summary>
    public long Measured { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Of the wrong length, in the wrong group, or with a damaged byte.</summary>
    public long Damaged { get; init; }

    /// <summary>Delivered a second time.</summary>
    public long Twice { get; init; }

    /// <summary>Delivered after a later message of the same sender and group.</summary>
    public long Overtaken { get; init; }

    /// <summary>Microseconds from the instant a message was due to its handler.</summary>
    public LatencySummary? Latency { get; init; }

    /// <summary>The same, bucket by bucket, so that members can be added up (<see cref="LatencyHistogram"/>).</summary>
    public IReadOnlyDictionary<int, long>? Buckets { get; init; }
}
