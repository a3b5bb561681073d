namespace QuickSilver.Bench.Rounds;

/// <summary>What a process, or all of them, did since the figures were asked for before.</summary>
/// <param name="CpuSeconds">Of all threads.</param>
/// <param name="AllocatedBytes">On the managed heap.</param>
/// <param name="RepairsFromPeers">Packets that receivers got from each other.</param>
/// <param name="RepairsFromSenders">Packets that receivers got again from their senders.</param>
/// <param name="Latency">Half of each round trip, in nanoseconds, and how often it was met.</param>
/// <param name="WireBytes">That the hosts' cards sent.</param>
internal sealed record RoundFigures(
    double CpuSeconds,
    long AllocatedBytes,
    long RepairsFromPeers,
    long RepairsFromSenders,
    IReadOnlyList<LatencyCount> Latency,
    long WireBytes = 0)
{
    /// <summary>The figures of several processes as one.</summary>
    public static RoundFigures Sum(IReadOnlyList<RoundFigures> all) => new(
        all.Sum(one => one.CpuSeconds), all.Sum(one => one.AllocatedBytes), all.Sum(one => one.RepairsFromPeers),
        all.Sum(one => one.RepairsFromSenders), [.. all.SelectMany(one => one.Latency)], all.Sum(one => one.WireBytes));
}

/// <summary>How often a latency was met.</summary>
/// <param name="Nanos">Its nanoseconds.</param>
/// <param name="Count">How often.</param>
internal sealed record LatencyCount(long Nanos, long Count);
