using QuickSilver.Bench;
using QuickSilver.Bench.Modes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>The table of the scenario of modes, and its figures over the repetitions.</summary>
internal static class ModesTable
{
    private const double MicrosPerMilli = 1000;

    private static readonly string[] Titles =
    [
        "messages/s", "p50 ms", "p99 ms", "p99.9 ms (slowest)", "max ms", "lost", "from members", "on request",
        "wasted", "skipped", "CPU us/message", "token us",
    ];

    /// <summary>A row for each mode of each run.</summary>
    public static Table Make(IReadOnlyList<RunReport> runs)
    {
        Table table = new Table().Border(TableBorder.Simple);
        foreach (string title in (string[])["loss", "run", "mode"]) table.AddColumn(title);
        foreach (string title in Titles) table.AddColumn(new TableColumn(title).RightAligned());
        foreach (RunReport run in runs.OrderBy(static run => run.Setting, StringComparer.Ordinal))
        {
            foreach (ModeFigures mode in ModeFigures.Of(run))
            {
                table.AddRow(
                    run.Setting!, run.Variant,
                    run.Variant == nameof(ModesRun.Tcp) ? "a connection a pair" : mode.Mode.ToString(),
                    $"{mode.Rate:N0}",
                    Millis(mode.Latency?.P50), Millis(mode.Latency?.P99),
                    $"{Millis(mode.Latency?.P999)} ({Millis(mode.WorstP999)})", Millis(mode.Latency?.Max),
                    $"{mode.Lost:N0} of {mode.Expected:N0}", $"{mode.FromMembers:N0}", $"{mode.OnRequest:N0}",
                    mode.Mode == GroupMode.Reliable ? $"{mode.Wasted:N0}" : "",
                    $"{mode.Skipped:N0}", $"{mode.CpuMicros:N1}",
                    mode.TokenMicros > 0 ? $"{mode.TokenMicros:N0}" : "");
            }
        }
        return table;
    }

    /// <summary>The figures that others are compared by.</summary>
    public static List<VariantSummary> Summarize(IReadOnlyList<RunReport> runs) =>
    [
        .. from run in runs
           from mode in ModeFigures.Of(run)
           group (run, mode) by (run.Setting, run.Variant, mode.Mode) into same
           from figure in (VariantSummary[])[
               Sum(same.Key, "messages/s", same.Select(static one => one.mode.Rate)),
               Sum(same.Key, "p99.9 ms", same.Select(static one => (one.mode.Latency?.P999 ?? 0) / MicrosPerMilli)),
               Sum(same.Key, "CPU us/message", same.Select(static one => one.mode.CpuMicros)),
               Sum(same.Key, "token us", same.Select(static one => one.mode.TokenMicros))]
           select figure,
    ];

    private static VariantSummary Sum(
        (string? Setting, string Variant, GroupMode Mode) key, string figure, IEnumerable<double> values) =>
        VariantSummary.Of($"{key.Variant}, {key.Mode}, {key.Setting} loss", 0, figure, values);

    private static string Millis(double? micros) => micros is { } value ? $"{value / MicrosPerMilli:N1}" : "";
}
