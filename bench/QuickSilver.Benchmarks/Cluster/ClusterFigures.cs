using HdrHistogram;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>What all rounds of one run came to, by message.</summary>
internal sealed class ClusterFigures
{
    private const long LongestNanos = 60_000_000_000;
    private const int Digits = 3;

    private readonly LongHistogram _latency = new(LongestNanos, Digits);

    /// <summary>Sums up.</summary>
    public ClusterFigures(RoundPlan plan, ClusterClock clock, RoundFigures figures)
    {
        double messages = (double)clock.Rounds * (plan.Messages / plan.Senders * plan.Senders);
        MessagesPerSecond = messages / clock.Elapsed.TotalSeconds;
        MegabytesPerSecond = MessagesPerSecond * plan.Size / 1e6;
        CpuMicros = figures.CpuSeconds * 1e6 / messages;
        AllocatedBytes = figures.AllocatedBytes / messages;
        RepairsFromPeers = figures.RepairsFromPeers * 1000 / messages;
        RepairsFromSenders = figures.RepairsFromSenders * 1000 / messages;
        WireBytes = figures.WireBytes / messages;
        foreach (LatencyCount met in figures.Latency)
            _latency.RecordValueWithCount(Math.Min(met.Nanos, LongestNanos), met.Count);
    }

    public double MessagesPerSecond { get; }

    public double MegabytesPerSecond { get; }

    public double CpuMicros { get; }

    public double AllocatedBytes { get; }

    /// <summary>Of 1,000 messages.</summary>
    public double RepairsFromPeers { get; }

    /// <inheritdoc cref="RepairsFromPeers"/>
    public double RepairsFromSenders { get; }

    public double WireBytes { get; }

    /// <summary>The latency that a share of all echoes does not exceed, in microseconds; NaN without echoes.</summary>
    /// <param name="percentile">From 0 to 100.</param>
    public double LatencyMicros(double percentile) =>
        _latency.TotalCount == 0 ? double.NaN : _latency.GetValueAtPercentile(percentile) / 1e3;
}
