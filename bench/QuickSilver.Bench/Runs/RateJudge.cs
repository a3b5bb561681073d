using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>
/// Says whether senders kept the rate of a run. What a sender was late is part of the latencies of all that it sent
/// meanwhile, so those figures are the machine's and not the library's.
/// </summary>
internal static class RateJudge
{
    private const double LeastShare = 0.99;
    private const double MostLateP99 = 10_000;
    private const double MostLate = 1_000_000;

    /// <summary>Why the rate was not kept; null when it was, or when there was none to keep.</summary>
    public static string? NotKept(RunReport run)
    {
        if (run.OfferedRate <= 0) return null;
        foreach (ProcessReport sender in run.Processes.Where(
            process => process.Role is nameof(RoleKind.Sender) or nameof(RoleKind.RawSender)))
        {
            if (sender.Lateness is { } late && (late.P99 > MostLateP99 || late.Max > MostLate))
            {
                return $"{sender.Process} was late, by {late.P99 / 1000:N0} ms at p99 and {late.Max / 1000:N0} ms at "
                    + "most";
            }
            if (sender.MeasuredSeconds > 0 && sender.Rate < LeastShare * run.OfferedRate)
                return $"{sender.Process} sent {sender.Rate:N0} messages/s";
        }
        return null;
    }
}
