using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Rounds;

/// <summary>What the own process does from one question to the next.</summary>
/// <param name="node">Whose repairs are counted.</param>
/// <param name="latency">Called for what was met; null where nothing is.</param>
internal sealed class RoundMeter(QuickSilverNode node, Func<IReadOnlyList<LatencyCount>>? latency = null)
{
    private double _cpuSeconds;
    private long _allocatedBytes;
    private long _fromPeers;
    private long _fromSenders;

    /// <summary>Tells the figures since the last time.</summary>
    public async Task TellAsync(RoleChannel channel)
    {
        double cpuSeconds = Environment.CpuUsage.TotalTime.TotalSeconds;
        long allocatedBytes = GC.GetTotalAllocatedBytes(precise: true);
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellFigures(new RoundFigures(
            cpuSeconds - _cpuSeconds, allocatedBytes - _allocatedBytes, statistics.RepairsFromPeers - _fromPeers,
            statistics.RepairsFromSenders - _fromSenders, latency?.Invoke() ?? []));
        _fromPeers = statistics.RepairsFromPeers;
        _fromSenders = statistics.RepairsFromSenders;
        // What the answer itself took is no round's.
        _cpuSeconds = Environment.CpuUsage.TotalTime.TotalSeconds;
        _allocatedBytes = GC.GetTotalAllocatedBytes(precise: true);
    }
}
