using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Peers;

/// <summary>What one run of any system comes to.</summary>
internal static class PeerFigures
{
    /// <summary>
    /// Processor time of all processes for a message that reached all receivers, in microseconds: senders' and
    /// receivers' over the measured part, a broker's over the whole run.
    /// </summary>
    public static double CpuMicros(RunReport run) =>
        1e6 * ((run.Processes.Sum(process => process.CpuSeconds) / Measured(run))
            + ((run.BrokerCpuSeconds ?? 0) / Sent(run)));

    /// <summary>Bytes on the network for a message, everything included, over the whole run.</summary>
    public static double WireBytes(RunReport run) => (run.WireBytes ?? 0) / (double)Sent(run);

    /// <summary>Messages that did not come to a receiver, over all receivers.</summary>
    public static long Lost(RunReport run) => RunOutcome.Receivers(run).Sum(process => process.Lost);

    /// <summary>The latency of the receiver that has the highest; null when nobody measured any.</summary>
    public static LatencySummary? Worst(RunReport run) =>
        RunOutcome.Receivers(run).MaxBy(process => process.Latency?.P99 ?? 0)?.Latency;

    private static long Measured(RunReport run) =>
        Math.Max(1, RunOutcome.Receivers(run).Min(process => process.Measured));

    private static long Sent(RunReport run) => Math.Max(1, run.Processes.Sum(process => process.Sent));
}
