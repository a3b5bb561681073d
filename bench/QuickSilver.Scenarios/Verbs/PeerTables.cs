using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>Turns the runs of all systems into figures and tables, one table for each setting and one of
/// promises.</summary>
internal sealed class PeerTables(IReadOnlyList<Peer> peers, PeerBuild build, List<RunReport> runs)
{
    /// <summary>The figure that plots show.</summary>
    public const string RateFigure = "messages/s to the slowest receiver";

    private const string Own = "quicksilver";
    private const int LongestReason = 300;

    /// <summary>All figures.</summary>
    public List<VariantSummary> Summary { get; } = [];

    /// <summary>Makes the tables.</summary>
    /// <param name="settings">At full speed.</param>
    /// <param name="latencyRate">Messages a second of the latency runs; 0 without any.</param>
    public IRenderable Make(IReadOnlyList<PeerSetting> settings, double latencyRate) =>
        new Rows(
            [
                .. settings.Select(setting => Figures(setting, latencyRate)), Promises(), .. Reasons(),
                new Text(RunKeys.Legend),
            ]);

    private Table Figures(PeerSetting setting, double latencyRate)
    {
        Table table = new Table().Border(TableBorder.Simple).Title(new TableTitle(setting.Text, Style.Plain));
        table.AddColumn("system");
        string[] delayTitles = latencyRate > 0 ? [$"p50 us at {latencyRate:N0}/s", "p99 us", "lost"] : [];
        string[] titles =
        [
            "messages/s", "lowest", "highest", "quicksilver to it", "processors near", "far", "CPU us/msg",
            "wire bytes/msg", "lost", .. delayTitles,
        ];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        List<RunReport> ownRuns = Of(setting, Own, 0);
        double own = Rate(ownRuns).Median;
        foreach (Peer peer in peers)
        {
            List<RunReport> full = Of(setting, peer.Name, 0), paced = Of(setting, peer.Name, latencyRate);
            if (full.Count == 0)
            {
                table.AddRow([peer.Name, .. titles.Select(_ => "-")]);
                continue;
            }
            VariantSummary rate = Sum(peer.Name, 0, setting, RateFigure, full.Select(RunOutcome.SlowestRate));
            VariantSummary cpu = Sum(
                peer.Name, 0, setting, "CPU us/message of all processes", full.Select(PeerFigures.CpuMicros));
            VariantSummary wire = Sum(peer.Name, 0, setting, "wire bytes/message", full.Select(PeerFigures.WireBytes));
            List<string> cells =
            [
                peer.Name,
                $"{rate.Median:N0}",
                $"{rate.Lowest:N0}",
                $"{rate.Highest:N0}",
                own > 0 && rate.Median > 0 ? $"{own / rate.Median:N2}" : "",
                At(full, ownRuns, distance => distance.IsNear),
                At(full, ownRuns, distance => distance.IsFar),
                $"{cpu.Median:N2}",
                $"{wire.Median:N0}",
                $"{full.Sum(PeerFigures.Lost):N0}",
            ];
            if (latencyRate > 0)
            {
                VariantSummary p50 = Sum(
                    peer.Name, latencyRate, setting, "p50 us",
                    paced.Select(run => PeerFigures.Worst(run)?.P50 ?? double.NaN));
                VariantSummary p99 = Sum(
                    peer.Name, latencyRate, setting, "p99 us",
                    paced.Select(run => PeerFigures.Worst(run)?.P99 ?? double.NaN));
                cells.AddRange([Show(p50.Median), Show(p99.Median), $"{paced.Sum(PeerFigures.Lost):N0}"]);
            }
            table.AddRow([.. cells]);
        }
        return table;
    }

    private Table Promises()
    {
        Table table = new Table().Border(TableBorder.Simple).Title(new TableTitle("what each promises", Style.Plain));
        foreach (string title in (string[])[
            "system", "version", "a lost message is", "order", "when a receiver crashes", "between"])
        {
            table.AddColumn(title);
        }
        foreach (Peer peer in peers)
        {
            string version = peer.WhyMissing(build) is null ? peer.Version(build) : "";
            PeerPromise promise = peer.Promise;
            table.AddRow(
                peer.Name, Markup.Escape(version), promise.Delivery, promise.Order, promise.ReceiverCrash,
                promise.Between);
        }
        return table;
    }

    private IEnumerable<Text> Reasons() =>
        from run in runs
        let reason = run.Skipped ?? run.Failures.FirstOrDefault()
        where reason is not null
        group run by (run.Variant, reason) into same
        select new Text(
            $"{same.Key.Variant}: not measured{(same.Count() > 1 ? $" ({same.Count()} times)" : "")}: "
                + $"{Shorten(same.Key.reason)}");

    private VariantSummary Sum(string peer, double rate, PeerSetting setting, string figure, IEnumerable<double> values)
    {
        var summary = VariantSummary.Of(peer, rate, $"{setting.Text}: {figure}", values);
        Summary.Add(summary);
        return summary;
    }

    private List<RunReport> Of(PeerSetting setting, string peer, double rate) =>
        [
            .. runs
                .Where(run => run.Variant == peer && run.Setting == setting.Text && run.OfferedRate == rate)
                .Where(run => run.Skipped is null && RunOutcome.Receivers(run).Any()),
        ];

    private static VariantSummary Rate(IEnumerable<RunReport> full) =>
        VariantSummary.Of("", 0, "", full.Select(RunOutcome.SlowestRate));

    // Like with like: the rate of those runs during which the processors were so far apart, and what QuickSilver's own
    // of that kind are to it.
    private static string At(List<RunReport> full, List<RunReport> own, Func<DistanceReport, bool> isSo)
    {
        VariantSummary rate = Rate(full.Where(run => run.Distance is { } distance && isSo(distance)));
        VariantSummary ownRate = Rate(own.Where(run => run.Distance is { } distance && isSo(distance)));
        string ratio = rate.Median > 0 && ownRate.Repetitions > 0 ? $" ({ownRate.Median / rate.Median:N2})" : "";
        return rate.Repetitions == 0 ? "-" : $"{rate.Median:N0}{ratio}";
    }

    // A process that fails may have much to say: all of it is in the JSON.
    private static string Shorten(string text) => text.Length <= LongestReason ? text : text[..LongestReason] + "...";

    private static string Show(double value) => double.IsNaN(value) ? "-" : $"{value:N0}";
}
