using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>One line for each run as it ends, on standard error: standard output is for results.</summary>
internal static class RunOutcome
{
    private const int LongestReason = 400;

    /// <summary>Tells how a run went.</summary>
    public static void Tell(RunReport run, int number, int all)
    {
        string rate = run.OfferedRate > 0 ? $" at {run.OfferedRate:N0}/s" : "";
        string outcome = run.Skipped is { } reason ? "not measured: " + Brief(reason)
            : run.Failures.Count > 0 ? "FAILED: " + string.Join("; ", run.Failures)
            : Outcome(run) + (run.RateNotKept is { } why ? $"; RATE NOT KEPT: {why}" : "");
        Console.Error.WriteLine($"run {number} of {all}: {run.Variant}{rate}, repetition {run.Repetition}: {outcome}");
    }

    /// <summary>The slowest receiver's rate; 0 when nobody received.</summary>
    public static double SlowestRate(RunReport run) =>
        Receivers(run).Select(process => process.Rate).DefaultIfEmpty().Min();

    /// <summary>The processes that received.</summary>
    public static IEnumerable<ProcessReport> Receivers(RunReport run) =>
        run.Processes.Where(process => process.Role.EndsWith(nameof(RoleKind.Receiver), StringComparison.Ordinal));

    // The reports have all of it.
    private static string Brief(string text) => text.Length <= LongestReason ? text : text[..LongestReason] + "...";

    private static string Outcome(RunReport run)
    {
        if (!Receivers(run).Any(static process => process.Rate > 0)) return "done";
        ProcessReport worst = Receivers(run).MaxBy(process => process.Latency?.P99 ?? 0)!;
        return $"{SlowestRate(run):N0} messages/s to each, p50 {worst.Latency?.P50:N0} us, p99 "
            + $"{worst.Latency?.P99:N0} us, "
            + $"lost {Receivers(run).Sum(process => process.Lost):N0}"
            + (run.Distance is { } distance ? $", processors {distance} apart" : "");
    }
}
